// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Controller of ros2_control that commands the efforts of a reference.
#ifndef SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_CONTROLLER_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_CONTROLLER_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "control_msgs/msg/dynamic_interface_group_values.hpp"
#include "controller_interface/chainable_controller_interface.hpp"
#include "hardware_interface/handle.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "realtime_tools/lock_free_queue.hpp"
#include "realtime_tools/realtime_publisher.hpp"
#include "screw_dynamics_controllers/feedforward.hpp"
#include "screw_dynamics_controllers/feedforward_controller_parameters.hpp"
#include "screw_dynamics_controllers/robot_library.hpp"
#include "screw_dynamics_controllers/spline_follower.hpp"
#include "screw_dynamics_interfaces/msg/joint_spline.hpp"
#include "std_srvs/srv/trigger.hpp"

namespace screw_dynamics_controllers
{

// In a chain the reference is position, velocity, acceleration and, if it is written, jerk of
// every joint, which another controller writes; alone it is the spline received last.
class FeedforwardController : public controller_interface::ChainableControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override;

  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;

  // Parameters and the library of the robot are read here: new ones after a clean-up.
  controller_interface::CallbackReturn on_configure(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_cleanup(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_activate(
    const rclcpp_lifecycle::State & previous_state) override;

  // One update is all that ros2_control leaves here: commands that do not rest do so in one step.
  controller_interface::CallbackReturn on_deactivate(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_error(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_shutdown(
    const rclcpp_lifecycle::State & previous_state) override;

protected:
  std::vector<hardware_interface::CommandInterface::SharedPtr> on_export_reference_interfaces_list()
  override;
  bool on_set_chained_mode(bool chained_mode) override;

  controller_interface::return_type update_reference_from_subscribers(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

  // ERROR if commands were not written in more updates in a row than are bridged.
  controller_interface::return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  using JointSpline = screw_dynamics_interfaces::msg::JointSpline;
  using StateMessage = control_msgs::msg::DynamicInterfaceGroupValues;
  using Trigger = std_srvs::srv::Trigger;

  struct Event
  {
    Phase phase = Phase::rest;
    Violation violation;
  };

  void open_robot();
  void open_topics();
  void release_robot() noexcept;
  void forget_references() noexcept;
  void rest_at_once() noexcept;
  void receive(const JointSpline & message);
  bool sample_chained(std::int64_t now, Sample & sample) noexcept;
  const double * read_states() noexcept;
  void write_commands() noexcept;
  void publish(const rclcpp::Time & time) noexcept;
  void register_event() noexcept;
  void report();
  void log(const Event & event) const;

  // held by all that is not an update while it uses robot or commands
  std::mutex robot_mutex_;
  std::shared_ptr<::feedforward_controller::ParamListener> listener_;
  ::feedforward_controller::Params parameters_;
  std::unique_ptr<RobotLibrary> library_;
  std::unique_ptr<Feedforward> feedforward_;
  std::vector<std::string> joints_, command_joints_;
  std::vector<double> measured_;
  bool moves_ = false;       // commands have positions or velocities
  bool feeds_back_ = false;  // efforts have a part by links and motors
  bool positioned_ = false;  // positions have been commanded since the activation
  int unwritten_ = 0;        // updates in a row
  SplineFollower splines_;
  rclcpp::Subscription<JointSpline>::SharedPtr subscription_;
  rclcpp::TimerBase::SharedPtr timer_;
  StateMessage state_;
  std::unique_ptr<realtime_tools::RealtimePublisher<StateMessage>> publisher_;
  rclcpp::Service<Trigger>::SharedPtr rest_;
  std::vector<rmw_request_id_t> requests_;  // of `rest_`, without an answer yet

  // between updates and `report`
  realtime_tools::LockFreeSPSCQueue<Event, 64> events_;
  Event registered_, reported_;
  std::atomic<bool> asked_{false}, at_rest_{true}, stepped_{false};
  std::atomic<std::uint64_t> failed_writes_{0};
  std::uint64_t reported_writes_ = 0;
  std::atomic<double> ramp_time_{0.0};
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_CONTROLLER_HPP_
