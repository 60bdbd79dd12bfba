// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0

#include "screw_dynamics_controllers/feedforward_controller.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "lifecycle_msgs/msg/state.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "screw_dynamics_controllers/robot_description.hpp"

namespace screw_dynamics_controllers
{

namespace
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::interface_configuration_type;
using controller_interface::return_type;

constexpr int chained_rows = 4;  // the last one may be unknown
constexpr std::array<const char *, chained_rows> references{
  "position", "velocity", "acceleration", "jerk"};
constexpr auto unknown = std::numeric_limits<double>::quiet_NaN();
// numbers of the group `guard` of the state
constexpr std::array<const char *, 6> guard_names{
  "phase", "quantity", "index", "value", "limit", "failed_writes"};

bool is_of_joints(Quantity quantity)
{
  switch (quantity) {
    case Quantity::effort:
    case Quantity::effort_rate:
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
    case Quantity::jerk:
    case Quantity::step:
    case Quantity::start:
    case Quantity::moving:
      return true;
    default:
      return false;
  }
}

const char * name_of(Quantity quantity)
{
  switch (quantity) {
    case Quantity::effort: return "effort";
    case Quantity::effort_rate: return "effort rate";
    case Quantity::deflection: return "deflection";
    case Quantity::motor_velocity: return "motor velocity";
    case Quantity::motor_effort: return "motor effort";
    case Quantity::motor_effort_rate: return "motor effort rate";
    case Quantity::position: return "position";
    case Quantity::velocity: return "velocity";
    case Quantity::acceleration: return "acceleration";
    case Quantity::jerk: return "jerk";
    case Quantity::motor_position: return "motor position";
    case Quantity::step: return "step of the reference";
    case Quantity::start:
    case Quantity::motor_start: return "distance from the reference";
    case Quantity::moving: return "velocity of a reference in mid-motion";
    default: return "";
  }
}

// The place of every name of a library in a message; raises std::invalid_argument.
std::vector<std::size_t> places(
  const std::vector<std::string> & names, const std::vector<std::string> & given)
{
  std::vector<std::size_t> result;
  for (const auto & name : names) {
    const auto found = std::find(given.begin(), given.end(), name);
    if (found == given.end() || given.size() != names.size()) {
      throw std::invalid_argument("joint_names: expected the joints of the robot, once each");
    }
    result.push_back(static_cast<std::size_t>(found - given.begin()));
  }
  return result;
}

}  // namespace

CallbackReturn FeedforwardController::on_init()
{
  try {
    listener_ = std::make_shared<::feedforward_controller::ParamListener>(get_node());
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_configure(const rclcpp_lifecycle::State &)
{
  try {
    open_robot();
    open_topics();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "not configured: %s", error.what());
    release_robot();
    return CallbackReturn::FAILURE;
  }
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_cleanup(const rclcpp_lifecycle::State &)
{
  report();
  release_robot();
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_error(const rclcpp_lifecycle::State &)
{
  rest_at_once();
  report();
  release_robot();
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_shutdown(const rclcpp_lifecycle::State &)
{
  rest_at_once();
  report();
  release_robot();
  return CallbackReturn::SUCCESS;
}

// Read the parameters, open the library of the robot and allocate; raises.
void FeedforwardController::open_robot()
{
  const std::lock_guard<std::mutex> lock(robot_mutex_);
  parameters_ = listener_->get_params();
  ramp_time_ = parameters_.ramp_time;
  if (parameters_.robot_library.empty()) {
    throw std::invalid_argument("robot_library: expected a path, got none");
  }
  library_ = std::make_unique<RobotLibrary>(parameters_.robot_library);
  const auto & robot = library_->robot();
  const std::string warning = require_description(
    robot, parameters_.robot_library, get_robot_description(), parameters_.accepted_descriptions);
  if (!warning.empty()) {
    RCLCPP_WARN(get_node()->get_logger(), "%s", warning.c_str());
  }
  joints_.assign(robot.joint_names, robot.joint_names + robot.joints);
  const bool motors = parameters_.commands_content == "motor_efforts";
  command_joints_ = parameters_.command_joints;
  if (command_joints_.empty() && motors) {
    command_joints_.assign(robot.motor_names, robot.motor_names + robot.motors);
  } else if (command_joints_.empty()) {
    command_joints_ = joints_;
  }
  const auto & interfaces = parameters_.command_interfaces;
  moves_ = std::any_of(
    interfaces.begin(), interfaces.end(), [](const auto & name) {return name != "effort";});
  Settings settings;
  settings.motors = motors;
  settings.positions = moves_;
  settings.guarded = parameters_.output_guard != "off";
  settings.ramp_time = parameters_.ramp_time;
  settings.start_tolerance = parameters_.command_start_tolerance;
  settings.effort_content = parameters_.effort_content;
  settings.effort_sign = parameters_.effort_sign;
  settings.effort_scale = parameters_.effort_scale;
  settings.effort_offset = parameters_.effort_offset;
  settings.feedback = {
    parameters_.feedback.poses, parameters_.feedback.gains, parameters_.feedback.integral_gains};
  feedforward_ = std::make_unique<Feedforward>(robot, settings);
  if (command_joints_.size() != feedforward_->count()) {
    throw std::invalid_argument(
            "command_joints: expected " + std::to_string(feedforward_->count()) +
            " names, got " + std::to_string(command_joints_.size()));
  }
  feeds_back_ = !parameters_.feedback.poses.empty();
  for (const auto & name : command_joints_) {
    if (feeds_back_ && std::find(joints_.begin(), joints_.end(), name) != joints_.end()) {
      throw std::invalid_argument(
              "command_joints: expected motors, whose states are not those of a link, for "
              "feedback, got " + name);
    }
  }
  measured_.assign(state_interface_configuration().names.size(), unknown);
}

void FeedforwardController::open_topics()
{
  const auto & interfaces = parameters_.command_interfaces;
  state_ = StateMessage();
  control_msgs::msg::InterfaceValue values;
  values.interface_names = interfaces;
  values.values.assign(interfaces.size(), unknown);
  state_.interface_groups = command_joints_;
  state_.interface_values.assign(command_joints_.size(), values);
  values.interface_names.assign(guard_names.begin(), guard_names.end());
  values.values.assign(guard_names.size(), 0.0);
  state_.interface_groups.push_back("guard");
  state_.interface_values.push_back(values);
  publisher_ = std::make_unique<realtime_tools::RealtimePublisher<StateMessage>>(
    get_node()->create_publisher<StateMessage>("~/controller_state", rclcpp::SystemDefaultsQoS()));
  publisher_->lock();
  publisher_->msg_ = state_;  // allocates what later messages fit in
  publisher_->unlock();
  subscription_ = get_node()->create_subscription<JointSpline>(
    "~/spline", rclcpp::QoS(10).reliable(),
    [this](JointSpline::ConstSharedPtr message) {receive(*message);});
  rest_ = get_node()->create_service<Trigger>(
    "~/rest", [this](
      std::shared_ptr<rclcpp::Service<Trigger>>, const std::shared_ptr<rmw_request_id_t> request,
      const std::shared_ptr<Trigger::Request>) {
      const std::lock_guard<std::mutex> lock(robot_mutex_);
      requests_.push_back(*request);
      asked_ = true;
    });
  timer_ = get_node()->create_wall_timer(std::chrono::milliseconds(100), [this] {report();});
}

void FeedforwardController::release_robot() noexcept
{
  subscription_.reset();
  timer_.reset();
  rest_.reset();
  publisher_.reset();
  const std::lock_guard<std::mutex> lock(robot_mutex_);
  requests_.clear();
  feedforward_.reset();
  library_.reset();
}

InterfaceConfiguration FeedforwardController::command_interface_configuration() const
{
  InterfaceConfiguration result{interface_configuration_type::INDIVIDUAL, {}};
  for (const auto & interface : parameters_.command_interfaces) {
    for (const auto & joint : command_joints_) {
      result.names.push_back(joint + "/" + interface);
    }
  }
  return result;
}

InterfaceConfiguration FeedforwardController::state_interface_configuration() const
{
  if (!moves_ && !feeds_back_) {
    return {interface_configuration_type::NONE, {}};
  }
  InterfaceConfiguration result{interface_configuration_type::INDIVIDUAL, {}};
  const auto add = [&result](const auto & names, const char * interface) {
      for (const auto & name : names) {
        result.names.push_back(name + interface);
      }
    };
  add(joints_, "/position");
  if (feeds_back_) {
    add(joints_, "/velocity");
    add(command_joints_, "/position");
    add(command_joints_, "/velocity");
  }
  return result;
}

CallbackReturn FeedforwardController::on_activate(const rclcpp_lifecycle::State &)
{
  feedforward_->reset();
  splines_.clear();
  forget_references();
  positioned_ = asked_ = false;
  unwritten_ = 0;
  register_event();
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_deactivate(const rclcpp_lifecycle::State &)
{
  rest_at_once();
  return CallbackReturn::SUCCESS;
}

void FeedforwardController::forget_references() noexcept
{
  for (const auto & reference : ordered_exported_reference_interfaces_) {
    static_cast<void>(reference->set_value(unknown, true));
  }
}

void FeedforwardController::rest_at_once() noexcept
{
  if (!feedforward_) {
    return;
  }
  stepped_ = stepped_ || !feedforward_->at_rest();
  feedforward_->reset();
  if (!command_interfaces_.empty()) {
    write_commands();
  }
  register_event();
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
FeedforwardController::on_export_reference_interfaces_list()
{
  std::vector<hardware_interface::CommandInterface::SharedPtr> result;
  for (const auto & reference : references) {
    for (const auto & joint : joints_) {
      hardware_interface::InterfaceInfo info;
      info.name = reference;
      info.data_type = "double";
      result.push_back(
        std::make_shared<hardware_interface::CommandInterface>(
          hardware_interface::InterfaceDescription(
            std::string(get_node()->get_name()) + "/" + joint, info)));
    }
  }
  return result;
}

bool FeedforwardController::on_set_chained_mode(bool chained_mode)
{
  if (chained_mode && feedforward_->required_rows() > chained_rows) {
    RCLCPP_ERROR(
      get_node()->get_logger(), "motors behind springs need splines: a chain has no snap");
    return false;
  }
  forget_references();
  return true;
}

void FeedforwardController::receive(const JointSpline & message)
{
  const std::lock_guard<std::mutex> lock(robot_mutex_);
  if (!feedforward_) {
    return;
  }
  try {
    const auto place = places(joints_, message.joint_names);
    const std::size_t n = joints_.size();
    std::vector<Spline> splines;
    for (const auto & piece : message.pieces) {
      if (piece.end.size() != n || piece.coefficients.size() % n != 0) {
        throw std::invalid_argument("expected numbers for all joints in coefficients and end");
      }
      std::vector<double> coefficients(piece.coefficients.size()), end(n);
      for (std::size_t j = 0; j < n; ++j) {
        end[j] = piece.end[place[j]];
        for (std::size_t row = 0; row < coefficients.size(); row += n) {
          coefficients[row + j] = piece.coefficients[row + place[j]];
        }
      }
      Course course;
      course.begin = rclcpp::Time(piece.begin).nanoseconds();
      course.time = piece.time;
      course.speed = piece.speed;
      course.release = rclcpp::Time(piece.release).nanoseconds();
      course.motion = piece.motion;
      course.continues = piece.continues;
      splines.emplace_back(n, piece.breaks, std::move(coefficients), std::move(end), course);
    }
    splines_.receive(std::move(splines));
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "~/spline: not followed: %s", error.what());
  }
}

// Fill the jet from the references of a chain; return false if they are not all known.
bool FeedforwardController::sample_chained(std::int64_t now, Sample & sample) noexcept
{
  const std::size_t n = joints_.size(), least = (chained_rows - 1) * n;
  double * const jet = feedforward_->jet();
  std::fill(jet, jet + jet_rows * n, 0.0);
  bool present = true, jerk = true;
  for (std::size_t i = 0; i < chained_rows * n; ++i) {
    auto & reference = *ordered_exported_reference_interfaces_[i];
    jet[i] = reference.get_optional().value_or(unknown);
    auto & known = i < least ? present : jerk;
    known = known && !std::isnan(jet[i]);
    if (i >= least) {  // a controller that writes none leaves no old one
      static_cast<void>(reference.set_value(unknown));
    }
  }
  if (!jerk) {
    std::fill(jet + least, jet + chained_rows * n, 0.0);
  }
  sample.instant = now;
  sample.rows = jerk ? chained_rows : chained_rows - 1;
  sample.holds =
    std::all_of(jet + n, jet + chained_rows * n, [](double x) {return x == 0.0;});
  return present;
}

return_type FeedforwardController::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration &)
{
  return return_type::OK;
}

return_type FeedforwardController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration &)
{
  const std::int64_t now = time.nanoseconds();
  feedforward_->set_ramp_time(ramp_time_);
  if (asked_.exchange(false)) {
    feedforward_->stop();
  }
  Sample sample;
  const bool chained = is_in_chained_mode();
  if (chained ? sample_chained(now, sample) :
    splines_.sample(now, feedforward_->jet(), sample))
  {
    positioned_ = feedforward_->update(sample, read_states(), now) || positioned_;
  } else if (chained) {
    feedforward_->miss(now);
  } else {
    feedforward_->end(now);
  }
  write_commands();
  register_event();
  publish(time);
  return unwritten_ > bridged_updates ? return_type::ERROR : return_type::OK;
}

// The measured states, not a number where one cannot be read in this update.
const double * FeedforwardController::read_states() noexcept
{
  for (std::size_t i = 0; i < measured_.size(); ++i) {
    measured_[i] = state_interfaces_[i].get_optional().value_or(unknown);
  }
  return measured_.empty() ? nullptr : measured_.data();
}

void FeedforwardController::write_commands() noexcept
{
  std::uint64_t failed = 0;
  auto place = command_interfaces_.begin();
  for (const auto & interface : parameters_.command_interfaces) {
    const bool effort = interface == "effort", position = interface == "position";
    const auto & values = effort ? feedforward_->efforts() :
      position ? feedforward_->positions() : feedforward_->velocities();
    for (const double value : values) {
      // before the first motion the hardware holds its own position
      if (!position || positioned_) {
        failed += place->set_value(value) ? 0 : 1;
      }
      ++place;
    }
  }
  failed_writes_ += failed;
  unwritten_ = failed == 0 ? 0 : unwritten_ + 1;
}

void FeedforwardController::publish(const rclcpp::Time & time) noexcept
{
  state_.header.stamp = time;
  const auto & interfaces = parameters_.command_interfaces;
  for (std::size_t k = 0; k < interfaces.size(); ++k) {
    const bool effort = interfaces[k] == "effort", position = interfaces[k] == "position";
    const auto & values = effort ? feedforward_->efforts() :
      position ? feedforward_->positions() : feedforward_->velocities();
    for (std::size_t i = 0; i < values.size(); ++i) {
      state_.interface_values[i].values[k] = position && !positioned_ ? unknown : values[i];
    }
  }
  const Violation & violation = feedforward_->violation();
  auto & guard = state_.interface_values.back().values;
  guard[0] = static_cast<double>(feedforward_->phase());
  guard[1] = static_cast<double>(violation.quantity);
  guard[2] = static_cast<double>(violation.index);
  guard[3] = violation.value;
  guard[4] = violation.limit;
  guard[5] = static_cast<double>(failed_writes_);
  static_cast<void>(publisher_->try_publish(state_));
}

// Register what `report` logs; an event for which there is no room waits for the next update.
void FeedforwardController::register_event() noexcept
{
  at_rest_ = feedforward_->at_rest();
  const Event event{feedforward_->phase(), feedforward_->violation()};
  const bool changed = event.phase != registered_.phase ||
    event.violation.quantity != registered_.violation.quantity;
  if (changed && events_.push(event)) {
    registered_ = event;
  }
}

// Log why commands stop and that they are sent again, answer requests, and pass on `ramp_time`.
void FeedforwardController::report()
{
  const std::lock_guard<std::mutex> lock(robot_mutex_);
  if (!feedforward_) {
    return;
  }
  for (Event event; events_.pop(event); reported_ = event) {
    log(event);
  }
  const auto logger = get_node()->get_logger();
  if (stepped_.exchange(false)) {
    RCLCPP_WARN(
      logger, "commands went to rest in one step, as the controller ended in motion: ~/rest "
      "leads them there before");
  }
  const std::uint64_t failed = failed_writes_;
  if (failed != reported_writes_) {
    RCLCPP_WARN(
      logger, "%s commands could not be written, %s since the controller was loaded",
      std::to_string(failed - reported_writes_).c_str(), std::to_string(failed).c_str());
    reported_writes_ = failed;
  }
  ramp_time_ = listener_->get_params().ramp_time;
  const bool active =
    get_lifecycle_id() == lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE;
  if (!requests_.empty() && (!active || (!asked_ && at_rest_))) {
    for (auto & request : requests_) {
      Trigger::Response response;
      response.success = true;
      response.message = active ?
        "commands rest until another motion begins from rest" : "not active";
      rest_->send_response(request, response);
    }
    requests_.clear();
  }
}

void FeedforwardController::log(const Event & event) const
{
  const auto logger = get_node()->get_logger();
  const Violation & violation = event.violation;
  const bool stopped = reported_.phase == Phase::stopped;
  switch (violation.quantity) {
    case Quantity::none:
      if (stopped && event.phase == Phase::commanding) {
        RCLCPP_INFO(logger, "commands are sent again");
      } else if (stopped) {
        RCLCPP_INFO(logger, "no commands are sent: there is no reference");
      }
      break;
    case Quantity::not_computable:
      RCLCPP_WARN(logger, "no commands are sent: they cannot be computed for the reference");
      break;
    case Quantity::unmeasured:
      RCLCPP_WARN(
        logger, "no commands are sent: feedback lacks %s",
        state_interface_configuration().names[violation.index].c_str());
      break;
    case Quantity::asked:
      RCLCPP_INFO(logger, "no commands are sent: rest was asked for");
      break;
    default: {
        const bool joint = is_of_joints(violation.quantity);
        const auto & robot = library_->robot();
        RCLCPP_WARN(
          logger, "no commands are sent: %s: %s %.9g, limit %g",
          (joint ? robot.joint_names : robot.motor_names)[violation.index],
          name_of(violation.quantity), violation.value, violation.limit);
      }
  }
}

}  // namespace screw_dynamics_controllers

PLUGINLIB_EXPORT_CLASS(
  screw_dynamics_controllers::FeedforwardController,
  controller_interface::ChainableControllerInterface)
