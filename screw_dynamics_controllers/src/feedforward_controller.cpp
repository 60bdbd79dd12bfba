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

#include "pluginlib/class_list_macros.hpp"

namespace screw_dynamics_controllers
{

namespace
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::interface_configuration_type;
using controller_interface::return_type;

constexpr int chained_rows = 3;
constexpr std::array<const char *, chained_rows> references{"position", "velocity", "acceleration"};

const char * name_of(Quantity quantity)
{
  switch (quantity) {
    case Quantity::effort: return "effort";
    case Quantity::effort_rate: return "effort rate";
    case Quantity::deflection: return "deflection";
    case Quantity::motor_velocity: return "motor velocity";
    case Quantity::motor_effort: return "motor effort";
    case Quantity::motor_effort_rate: return "motor effort rate";
    case Quantity::start: return "distance from the reference";
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
    subscription_ = get_node()->create_subscription<JointSpline>(
      "~/spline", rclcpp::QoS(10).reliable(),
      [this](JointSpline::ConstSharedPtr message) {receive(*message);});
    timer_ = get_node()->create_wall_timer(std::chrono::milliseconds(100), [this] {report();});
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "not configured: %s", error.what());
    release_robot();
    return CallbackReturn::FAILURE;
  }
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_cleanup(const rclcpp_lifecycle::State &)
{
  release_robot();
  return CallbackReturn::SUCCESS;
}

// Read the parameters, open the library of the robot and allocate; raises.
void FeedforwardController::open_robot()
{
  const std::lock_guard<std::mutex> lock(robot_mutex_);
  parameters_ = listener_->get_params();
  library_ = std::make_unique<RobotLibrary>(parameters_.robot_library);
  const auto & robot = library_->robot();
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
  feedforward_ = std::make_unique<Feedforward>(robot, settings);
  if (command_joints_.size() != feedforward_->count()) {
    throw std::invalid_argument(
            "command_joints: expected " + std::to_string(feedforward_->count()) +
            " names, got " + std::to_string(command_joints_.size()));
  }
  measured_.assign(joints_.size(), std::numeric_limits<double>::quiet_NaN());
}

void FeedforwardController::release_robot() noexcept
{
  subscription_.reset();
  timer_.reset();
  const std::lock_guard<std::mutex> lock(robot_mutex_);
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
  if (!moves_) {
    return {interface_configuration_type::NONE, {}};
  }
  InterfaceConfiguration result{interface_configuration_type::INDIVIDUAL, {}};
  for (const auto & joint : joints_) {
    result.names.push_back(joint + "/position");
  }
  return result;
}

CallbackReturn FeedforwardController::on_activate(const rclcpp_lifecycle::State &)
{
  feedforward_->reset();
  splines_.clear();
  positioned_ = false;
  std::fill(
    reference_interfaces_.begin(), reference_interfaces_.end(),
    std::numeric_limits<double>::quiet_NaN());
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_deactivate(const rclcpp_lifecycle::State &)
{
  feedforward_->reset();
  write_commands();
  return CallbackReturn::SUCCESS;
}

std::vector<hardware_interface::CommandInterface>
FeedforwardController::on_export_reference_interfaces()
{
  const std::size_t n = joints_.size();
  reference_interfaces_.assign(references.size() * n, std::numeric_limits<double>::quiet_NaN());
  std::vector<hardware_interface::CommandInterface> result;
  result.reserve(reference_interfaces_.size());
  for (std::size_t row = 0; row < references.size(); ++row) {
    for (std::size_t j = 0; j < n; ++j) {
#pragma GCC diagnostic push  // lists of interfaces, which replace it, are not in every Jazzy
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
      result.emplace_back(
        get_node()->get_name(), joints_[j] + "/" + references[row],
        &reference_interfaces_[row * n + j]);
#pragma GCC diagnostic pop
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
  const std::size_t known = reference_interfaces_.size(), n = joints_.size();
  double * const jet = feedforward_->jet();
  std::copy(reference_interfaces_.begin(), reference_interfaces_.end(), jet);
  std::fill(jet + known, jet + jet_rows * n, 0.0);
  sample.instant = now;
  sample.rows = chained_rows;
  sample.holds = std::all_of(jet + n, jet + known, [](double x) {return x == 0.0;});
  return std::none_of(jet, jet + known, [](double x) {return std::isnan(x);});
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
  Sample sample;
  const bool present = is_in_chained_mode() ?
    sample_chained(now, sample) : splines_.sample(now, feedforward_->jet(), sample);
  if (present && (!moves_ || read_positions())) {
    positioned_ = feedforward_->update(sample, measured_.data(), now) || positioned_;
  } else {
    feedforward_->forget();
    feedforward_->release(now);
  }
  write_commands();
  const Violation & violation = feedforward_->violation();
  violating_ = violation.index;
  value_ = violation.value;
  limit_ = violation.limit;
  violated_ = violation.quantity;
  return return_type::OK;
}

bool FeedforwardController::read_positions() noexcept
{
  for (std::size_t j = 0; j < measured_.size(); ++j) {
    const auto position = state_interfaces_[j].get_optional();
    if (!position.has_value()) {
      return false;
    }
    measured_[j] = *position;
  }
  return true;
}

void FeedforwardController::write_commands() noexcept
{
  auto place = command_interfaces_.begin();
  for (const auto & interface : parameters_.command_interfaces) {
    const bool effort = interface == "effort", position = interface == "position";
    const auto & values = effort ? feedforward_->efforts() :
      position ? feedforward_->positions() : feedforward_->velocities();
    for (const double value : values) {
      // before the first motion the hardware holds its own position
      if (!position || positioned_) {
        static_cast<void>(place->set_value(value));
      }
      ++place;
    }
  }
}

// Log once that commands stop, and why.
void FeedforwardController::report()
{
  const std::lock_guard<std::mutex> lock(robot_mutex_);
  const Quantity quantity = violated_;
  if (quantity == reported_ || !feedforward_) {
    return;
  }
  reported_ = quantity;
  const auto logger = get_node()->get_logger();
  if (quantity == Quantity::none) {
    RCLCPP_INFO(logger, "commands are sent again");
  } else if (quantity == Quantity::not_computable) {
    RCLCPP_WARN(logger, "no commands are sent: they cannot be computed for the reference");
  } else {
    const bool joint = quantity == Quantity::effort || quantity == Quantity::effort_rate ||
      quantity == Quantity::start;
    const std::size_t index = violating_;
    const auto & robot = library_->robot();
    RCLCPP_WARN(
      logger, "no commands are sent: %s: %s %.9g, limit %g",
      joint ? robot.joint_names[index] : robot.motor_names[index], name_of(quantity),
      value_.load(), limit_.load());
  }
}

}  // namespace screw_dynamics_controllers

PLUGINLIB_EXPORT_CLASS(
  screw_dynamics_controllers::FeedforwardController,
  controller_interface::ChainableControllerInterface)
