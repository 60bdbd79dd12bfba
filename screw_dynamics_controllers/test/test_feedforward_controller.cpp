// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// The class of ros2_control, updated by hand, with two pendulums in closed form.

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hardware_interface/loaned_command_interface.hpp"
#include "hardware_interface/loaned_state_interface.hpp"
#include "lifecycle_msgs/msg/state.hpp"
#include "rclcpp/rclcpp.hpp"
#include "screw_dynamics_controllers/feedforward_controller.hpp"
#include "screw_dynamics_controllers/robot_library.hpp"
#include "std_srvs/srv/trigger.hpp"
#include "watched.hpp"

namespace
{

namespace sdc = screw_dynamics_controllers;
using hardware_interface::CommandInterface;
using hardware_interface::StateInterface;
using lifecycle_msgs::msg::State;
using screw_dynamics_interfaces::msg::JointSpline;
using screw_dynamics_interfaces::msg::SplinePiece;
using testing::HasSubstr;
using Parameters = std::vector<rclcpp::Parameter>;

constexpr std::int64_t second = 1'000'000'000, tick = second / 1000;
constexpr std::size_t joints = 2, rows = 5;
const char * const pendulums = PENDULUMS;
const char * const description = "<robot name='pendulums'/>";
const char * const described_pendulums = DESCRIBED_PENDULUMS;  // has the digest of `description`

hardware_interface::InterfaceDescription described(const std::string & name)
{
  const auto slash = name.rfind('/');
  hardware_interface::InterfaceInfo info;
  info.name = name.substr(slash + 1);
  info.data_type = "double";
  return {name.substr(0, slash), info};
}

// q_j(t) = a_j + b_j u^3 (10 - 15 u + 6 u^2), u = t / length: from rest to rest.
struct Motion
{
  std::vector<double> from{0.3, -0.2}, way{0.4, 0.6};
  double length = 1.0;

  JointSpline message(std::int64_t begin) const
  {
    SplinePiece piece;
    piece.begin = rclcpp::Time(begin, RCL_ROS_TIME);
    piece.speed = 1.0;
    piece.breaks = {0.0, length};
    for (const double power : {0.0, 0.0, 0.0, 10.0, -15.0, 6.0}) {
      for (const std::size_t j : {1u, 0u}) {
        piece.coefficients.push_back(power * way[j]);
      }
    }
    piece.coefficients[0] = from[1];
    piece.coefficients[1] = from[0];
    piece.end = {from[1] + way[1], from[0] + way[0]};
    piece.motion = static_cast<std::uint64_t>(begin);
    JointSpline result;
    result.joint_names = {"right", "left"};  // not in the order of the library
    result.pieces = {piece};
    return result;
  }

  // Joint jet at a time after the begin [ns].
  std::vector<double> jet(std::int64_t since) const
  {
    const double u = 1e-9 * static_cast<double>(since) / length;
    const double h = 1.0 / length;
    const double p[rows] = {
      u * u * u * (10.0 + u * (6.0 * u - 15.0)), 30.0 * u * u * (1.0 - u) * (1.0 - u) * h,
      60.0 * u * (1.0 - u * (3.0 - 2.0 * u)) * h * h,
      60.0 * (1.0 - u * (6.0 - 6.0 * u)) * h * h * h, (720.0 * u - 360.0) * h * h * h * h};
    std::vector<double> result(rows * joints);
    for (std::size_t j = 0; j < joints; ++j) {
      for (std::size_t row = 0; row < rows; ++row) {
        result[row * joints + j] = way[j] * p[row] + (row == 0 ? from[j] : 0.0);
      }
    }
    return result;
  }
};

// Holds an interface from another thread, as a reader or writer there does.
class Held
{
public:
  explicit Held(std::shared_mutex & mutex)
  : thread_([this, &mutex] {
        const std::unique_lock<std::shared_mutex> lock(mutex);
        held_.set_value();
        end_.get_future().wait();
      })
  {
    held_.get_future().wait();
  }

  ~Held()
  {
    end_.set_value();
    thread_.join();
  }

private:
  std::promise<void> held_, end_;
  std::thread thread_;
};

// A controller, its interfaces, and a sender of splines.
class Rig
{
public:
  explicit Rig(
    Parameters parameters, const std::string & library = pendulums, const std::string & urdf = "")
  : controller(std::make_shared<sdc::FeedforwardController>())
  {
    parameters.emplace_back("robot_library", library);
    rclcpp::NodeOptions options;
    options.parameter_overrides(parameters);
    made = controller->init("feedforward_controller", urdf, 1000, "", options) ==
      controller_interface::return_type::OK;
  }

  bool configure() {return controller->configure().id() == State::PRIMARY_STATE_INACTIVE;}

  // Activate as a controller manager does, with joints at measured positions.
  bool activate(bool chained, const std::vector<double> & measured)
  {
    references = controller->export_reference_interfaces();
    if (!controller->set_chained_mode(chained)) {
      return false;
    }
    commands.clear();
    states.clear();
    std::vector<hardware_interface::LoanedCommandInterface> loaned;
    for (const auto & name : controller->command_interface_configuration().names) {
      commands.push_back(std::make_shared<CommandInterface>(described(name)));
      static_cast<void>(commands.back()->set_value(std::nan("")));
      loaned.emplace_back(commands.back(), nullptr);
    }
    std::vector<hardware_interface::LoanedStateInterface> read;
    for (const auto & name : controller->state_interface_configuration().names) {
      states.push_back(std::make_shared<StateInterface>(described(name)));
      static_cast<void>(states.back()->set_value(measured[states.size() - 1]));
      read.emplace_back(states.back(), nullptr);
    }
    controller->assign_interfaces(std::move(loaned), std::move(read));
    return controller->get_node()->activate().id() == State::PRIMARY_STATE_ACTIVE;
  }

  void deactivate()
  {
    controller->get_node()->deactivate();
    controller->release_interfaces();
  }

  // Update at an instant [ns], watched.
  controller_interface::return_type step(std::int64_t now)
  {
    const rclcpp::Time time(now, RCL_ROS_TIME);
    const rclcpp::Duration period(0, tick);
    watched::counting = true;
    const auto result = controller->update(time, period);
    watched::counting = false;
    return result;
  }

  // Update at an instant [ns] and return the commands.
  std::vector<double> update(std::int64_t now)
  {
    EXPECT_EQ(step(now), controller_interface::return_type::OK);
    std::vector<double> values;
    for (const auto & command : commands) {
      values.push_back(command->get_optional().value());
    }
    return values;
  }

  // Send a spline and take it at its begin, at an instant that is updated again and again.
  void send(const Motion & motion, std::int64_t begin)
  {
    const auto sender = std::make_shared<rclcpp::Node>("sender");
    const auto publisher = sender->create_publisher<JointSpline>(
      "/feedforward_controller/spline", rclcpp::QoS(10).reliable());
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_node(sender);
    executor.add_node(controller->get_node()->get_node_base_interface());
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (publisher->get_subscription_count() == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), until);
      executor.spin_some();
      std::this_thread::yield();
    }
    publisher->publish(motion.message(begin));
    const auto before = update(begin);
    for (auto now = before; now == before || std::isnan(now[0]); now = update(begin)) {
      ASSERT_LT(std::chrono::steady_clock::now(), until);
      executor.spin_some();
    }
  }

  // Write the first rows of a jet, as the controller before this one does.
  void refer(const std::vector<double> & jet, std::size_t count = 3)
  {
    for (std::size_t i = 0; i < count * joints; ++i) {
      static_cast<void>(references[i]->set_value(jet[i]));
    }
  }

  // Run what waits, as the executor of a controller manager, until a condition holds.
  template<typename Condition>
  void spin_until(Condition condition, const rclcpp::Node::SharedPtr & other = nullptr)
  {
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_node(controller->get_node()->get_node_base_interface());
    if (other) {
      executor.add_node(other);
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until);
      executor.spin_once(std::chrono::milliseconds(20));
    }
  }

  // What is logged until a text appears.
  std::string log_until(const std::string & text)
  {
    std::string log;
    spin_until(
      [&] {
        log += testing::internal::GetCapturedStderr();
        testing::internal::CaptureStderr();
        return log.find(text) != std::string::npos;
      });
    return log;
  }

  bool made = false;
  std::shared_ptr<sdc::FeedforwardController> controller;
  std::vector<CommandInterface::SharedPtr> references, commands;
  std::vector<StateInterface::SharedPtr> states;
};

class FeedforwardController : public testing::Test
{
protected:
  static void SetUpTestSuite() {rclcpp::init(0, nullptr);}
  static void TearDownTestSuite() {rclcpp::shutdown();}

  void SetUp() override
  {
    ASSERT_TRUE(watched::works());
    watched::allocations = watched::locks = 0;
  }

  void TearDown() override
  {
    EXPECT_EQ(watched::allocations, 0);
    EXPECT_EQ(watched::locks, 0);
  }

  // Equal to 1e-12 of the largest command.
  static void expect_equal(
    const std::vector<double> & got, const std::vector<double> & expected, double largest)
  {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], expected[i], 1e-12 * largest);
    }
  }

  const sdc::RobotLibrary library{pendulums};
  const screw_dynamics_robot_table & robot = library.robot();
  const std::int64_t start = 1'700'000'000 * second;
  const Motion motion;
};

TEST_F(FeedforwardController, follows_a_spline_with_efforts)
{
  Rig rig({{"ramp_time", 0.0}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(false, {}));
  EXPECT_EQ(rig.update(start - tick), std::vector<double>(2, 0.0));
  rig.send(motion, start);
  for (std::int64_t since = 0; since <= second; since += tick) {
    std::vector<double> tau(3 * joints);
    robot.inverse_dynamics(motion.jet(since).data(), tau.data());
    tau.resize(joints);
    expect_equal(rig.update(start + since), tau, 30.0);
  }
}

TEST_F(FeedforwardController, follows_references_of_a_chain)
{
  Rig rig({{"ramp_time", 0.0}, {"effort_content", "without_gravity"},
      {"effort_sign", std::vector<double>{1.0, -1.0}},
      {"effort_scale", std::vector<double>{2.0, 3.0}},
      {"effort_offset", std::vector<double>{0.0, 0.25}}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {}));
  const std::vector<std::string> names{"left", "right"};
  std::size_t i = 0;
  for (const std::string interface : {"position", "velocity", "acceleration", "jerk"}) {
    for (const auto & joint : names) {
      const auto name = "feedforward_controller/" + joint + "/" + interface;
      EXPECT_EQ(rig.references[i++]->get_name(), name);
    }
  }
  const std::vector<double> rest{0.0, 0.25};
  EXPECT_EQ(rig.update(start - tick), rest);  // no reference yet
  for (std::int64_t since = 0; since <= second; since += tick) {
    const auto jet = motion.jet(since);
    rig.refer(jet);
    const std::vector<double> expected{
      2.0 * 2.0 * jet[2 * joints], 0.25 - 3.0 * 0.5 * jet[2 * joints + 1]};
    expect_equal(rig.update(start + since), expected, 30.0);
  }
  auto pushed = motion.jet(second);
  pushed[2 * joints] = 0.5;
  rig.refer(pushed);
  const auto last = rig.update(start + second + tick);
  EXPECT_NE(last, rest);
  rig.refer(std::vector<double>(3 * joints, std::nan("")));
  for (int i = 2; i < 2 + sdc::bridged_updates; ++i) {
    EXPECT_EQ(rig.update(start + second + i * tick), last);
  }
  EXPECT_EQ(rig.update(start + second + 10 * tick), rest);
}

TEST_F(FeedforwardController, commands_motors_behind_springs)
{
  Rig rig({{"ramp_time", 0.0}, {"commands_content", "motor_efforts"},
      {"command_interfaces", std::vector<std::string>{"position", "velocity", "effort"}}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(false, {0.3, -0.2}));
  EXPECT_EQ(rig.commands[1]->get_name(), "right_motor/position");
  const auto before = rig.update(start - tick);
  EXPECT_TRUE(std::isnan(before[0]) && std::isnan(before[1]));  // the hardware holds its own
  EXPECT_EQ(std::vector<double>(before.begin() + 2, before.end()), std::vector<double>(4, 0.0));
  rig.send(motion, start);
  for (std::int64_t since = 0; since < second; since += tick) {
    std::vector<double> motions(3 * joints), efforts(joints);
    ASSERT_EQ(
      robot.motor_commands(motion.jet(since).data(), motions.data(), efforts.data()), 0);
    motions.resize(2 * joints);
    motions.insert(motions.end(), efforts.begin(), efforts.end());
    expect_equal(rig.update(start + since), motions, 1.0);
  }
}

// The pendulums with other parameters, integrated in steps of 0.1 ms; efforts are a tick late.
class Plant
{
public:
  explicit Plant(const std::vector<double> & from)
  {
    for (std::size_t j = 0; j < joints; ++j) {
      state[j] = from[j];
      held[j] = weight[j] * std::cos(from[j]);
      state[4 + j] = from[j] + held[j] / stiffness[j];
    }
  }

  void step(const std::vector<double> & efforts)
  {
    for (int i = 0; i < 10; ++i) {
      for (std::size_t j = 0; j < joints; ++j) {
        const double spring = stiffness[j] * (state[4 + j] - state[j]);
        state[2 + j] += 1e-4 * (spring - weight[j] * std::cos(state[j])) / inertia[j];
        state[6 + j] += 1e-4 * (held[j] - spring) / rotor[j];
        state[j] += 1e-4 * state[2 + j];
        state[4 + j] += 1e-4 * state[6 + j];
      }
    }
    held = efforts;
  }

  std::vector<double> state = std::vector<double>(8), held = std::vector<double>(2);

private:
  // of links and gravity, springs, rotors: up to 10 % off
  const std::vector<double> inertia{1.9, 0.53}, weight{13.0, 2.8}, stiffness{820.0, 325.0},
    rotor{0.27, 0.115};
};

// Parameters of feedback with gains by q, q', theta, theta' and the integral of q of both joints.
Parameters feedback(const std::vector<double> & left, const std::vector<double> & right)
{
  std::vector<double> gains(16), integral_gains{left[4], 0.0, 0.0, right[4]};
  for (std::size_t k = 0; k < 4; ++k) {
    gains[2 * k] = left[k];
    gains[9 + 2 * k] = right[k];
  }
  return {{"ramp_time", 0.0}, {"commands_content", "motor_efforts"},
    {"feedback.poses", std::vector<double>{0.5, 0.1}}, {"feedback.gains", gains},
    {"feedback.integral_gains", integral_gains}};
}

// of simulation.motor_gains at 3 Hz, and of simulation.state_feedback at 6 Hz, with 1.5 ms of delay
const Parameters pd = feedback({0.0, 0.0, 799.4, 59.38, 0.0}, {0.0, 0.0, 222.1, 16.49, 0.0});
const Parameters regulator = feedback(
  {4218.3, 180.04, 933.4, 21.604, 40184.0}, {996.1, 50.325, 472.7, 10.871, 11162.0});

TEST_F(FeedforwardController, feedback_makes_up_for_wrong_parameters)
{
  std::vector<double> largest, last;
  for (const auto & parameters : {pd, regulator}) {
    Rig rig(parameters);
    Plant plant(motion.from);
    ASSERT_TRUE(rig.made && rig.configure() && rig.activate(false, plant.state));
    EXPECT_EQ(rig.states[5]->get_name(), "right_motor/position");
    rig.send(motion, start);
    largest.push_back(0.0);
    for (std::int64_t since = 0; since <= 2 * second; since += tick) {
      for (std::size_t i = 0; i < rig.states.size(); ++i) {
        static_cast<void>(rig.states[i]->set_value(plant.state[i]));
      }
      plant.step(rig.update(start + since));
      const auto wanted = motion.jet(std::min(since + tick, second));
      const double error = std::max(
        std::abs(plant.state[0] - wanted[0]), std::abs(plant.state[1] - wanted[1]));
      largest.back() = std::max(largest.back(), error);
      last.resize(largest.size(), 0.0);
      last.back() = error;
    }
  }
  RecordProperty("largest_pd", std::to_string(largest[0]));
  RecordProperty("largest_regulator", std::to_string(largest[1]));
  EXPECT_LT(3.0 * largest[1], largest[0]);
  EXPECT_LT(1e3 * last[1], last[0]);  // by the integral
}

TEST_F(FeedforwardController, feedback_forgets_its_integral_and_rests_without_states)
{
  Rig rig(regulator);
  for (int i = 0; i < 2; ++i) {  // at the reference but for 1 mrad of the left link
    ASSERT_TRUE(rig.made && (i > 0 || rig.configure()));
    std::vector<double> motions(3 * joints), efforts(joints);
    ASSERT_EQ(robot.motor_commands(motion.jet(0).data(), motions.data(), efforts.data()), 0);
    const std::vector<double> place{
      motion.from[0] - 1e-3, motion.from[1], 0.0, 0.0, motions[0], motions[1], motions[2],
      motions[3]};
    ASSERT_TRUE(rig.activate(false, place));
    rig.send(motion, start);
    EXPECT_NEAR(rig.update(start)[0], efforts[0] + 4.2183, 1e-9);
    const double first = rig.update(start + tick)[0];
    EXPECT_GT(first, efforts[0] + 4.2183 + 0.9 * 1e-6 * 40184.0);
    const Held held(rig.states[6]->get_mutex());
    for (int k = 0; k < sdc::bridged_updates; ++k) {
      EXPECT_EQ(rig.update(start + 2 * tick)[0], first);
    }
    EXPECT_EQ(rig.update(start + 2 * tick)[0], 0.0);
    rig.deactivate();
  }
}

TEST_F(FeedforwardController, feedback_begins_near_the_reference_alone)
{
  sdc::Settings settings;
  settings.motors = true;
  settings.feedback = {{0.5, 0.1}, std::vector<double>(16, 1.0), std::vector<double>(4)};
  sdc::Sample sample;
  sample.instant = start;
  sample.first = true;
  const auto jet = motion.jet(0);
  std::vector<double> motions(3 * joints), efforts(joints);
  ASSERT_EQ(robot.motor_commands(jet.data(), motions.data(), efforts.data()), 0);
  for (const double away : {0.06, 0.04}) {  // rad, of the right link; the tolerance is 0.05
    sdc::Feedforward core(robot, settings);
    std::copy(jet.begin(), jet.end(), core.jet());
    const double measured[] = {
      jet[0], jet[1] + away, 0.0, 0.0, motions[0], motions[1], motions[2], motions[3]};
    EXPECT_EQ(core.update(sample, measured, start), away < settings.start_tolerance);
  }
  // motors may be off by the deflections of their springs as well: 13 and 24 mrad
  for (const double turns : {-0.07, -0.06, 0.06, 0.07, 100.0}) {  // of the left motor
    sdc::Feedforward core(robot, settings);
    std::copy(jet.begin(), jet.end(), core.jet());
    const double measured[] = {
      jet[0], jet[1], 0.0, 0.0, motions[0] + turns, motions[1], motions[2], motions[3]};
    const double limit = settings.start_tolerance + std::abs(motions[0] - jet[0]);
    const bool near = std::abs(turns) < limit;
    EXPECT_EQ(near, std::abs(turns) < 0.065);
    EXPECT_EQ(core.update(sample, measured, start), near);
    EXPECT_EQ(core.efforts()[0] != 0.0 || core.phase() == sdc::Phase::commanding, near);
    if (!near) {
      EXPECT_EQ(core.violation().quantity, sdc::Quantity::motor_start);
      EXPECT_EQ(core.violation().index, 0u);
      EXPECT_NEAR(core.violation().value, turns, 1e-12);
      EXPECT_NEAR(core.violation().limit, limit, 1e-15);
    }
  }
}

TEST_F(FeedforwardController, integral_begins_after_the_ramp)
{
  sdc::Settings settings;
  settings.motors = true;
  settings.feedback = {{0.5, 0.1}, std::vector<double>(16), {1000.0, 0.0, 0.0, 0.0}};
  sdc::Feedforward core(robot, settings);
  sdc::Sample sample;
  const auto jet = motion.jet(0);
  std::vector<double> motions(3 * joints), efforts(joints);
  ASSERT_EQ(robot.motor_commands(jet.data(), motions.data(), efforts.data()), 0);
  const double measured[] = {
    jet[0] - 1e-3, jet[1], 0.0, 0.0, motions[0], motions[1], motions[2], motions[3]};
  for (int k = 0; k <= 260; ++k) {  // of which 250 are the ramp
    sample.instant = start + k * tick;
    sample.first = k == 0;
    std::copy(jet.begin(), jet.end(), core.jet());
    ASSERT_TRUE(core.update(sample, measured, sample.instant));
    if (k >= 250) {
      EXPECT_NEAR(core.efforts()[0], efforts[0] + 1e-3 * (k - 250), 1e-12);
    }
  }
}

TEST_F(FeedforwardController, says_which_state_feedback_lacks)
{
  Rig rig(regulator);
  std::vector<double> motions(3 * joints), efforts(joints);
  ASSERT_EQ(robot.motor_commands(motion.jet(0).data(), motions.data(), efforts.data()), 0);
  const std::vector<double> place{
    motion.from[0], motion.from[1], 0.0, 0.0, motions[0], motions[1], motions[2], motions[3]};
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(false, place));
  rig.send(motion, start);
  testing::internal::CaptureStderr();
  static_cast<void>(rig.states[5]->set_value(std::nan("")));
  for (int k = 0; k <= sdc::bridged_updates; ++k) {
    EXPECT_EQ(rig.update(start)[0] != 0.0, k < sdc::bridged_updates);
  }
  auto log = rig.log_until("no commands are sent: feedback lacks right_motor/position");
  static_cast<void>(rig.states[5]->set_value(place[5]));
  EXPECT_NE(rig.update(start)[0], 0.0);  // at rest, near its reference
  log += rig.log_until("commands are sent again");
  testing::internal::GetCapturedStderr();
}

TEST(Feedback, has_gains_between_poses_and_is_clipped_without_winding_up)
{
  const std::vector<double> gains{1.0, 10.0, 0.0, 0.0, 3.0, 30.0, 200.0, 2000.0};
  sdc::Feedback loop(1, 1, {{0.0, 1.0}, gains, {5.0, 7.0}});
  const double links[] = {0.75, 0.0}, motors[] = {0.8, 0.0}, none[] = {0.75, 0.0, 0.8, 0.0};
  const double measured[] = {0.65, -0.1, 0.79, -0.01}, limits[] = {50.0};
  const auto add = [&](const double * state, std::int64_t now, bool integrates) {
      double effort = 2.0;
      loop.add(links, motors, state, now, integrates, limits, &effort);
      return effort;
    };
  const double expected = 2.0 + 0.25 * (0.1 + 1.0) + 0.75 * (0.3 + 3.0 + 2.0 + 20.0);
  EXPECT_NEAR(add(measured, 0, true), expected, 1e-12);
  EXPECT_NEAR(add(measured, second, false), expected, 1e-12);
  EXPECT_NEAR(add(measured, 2 * second, true), expected + 0.1 * 6.5, 1e-12);
  EXPECT_NEAR(add(none, 3 * second, true), 2.0 + 0.1 * 6.5, 1e-12);
  const double far[] = {0.65, -0.1, -0.8, 0.0};
  EXPECT_EQ(add(far, 1000 * second, true), 50.0);
  EXPECT_NEAR(add(none, 1000 * second, true), 2.0 + 0.1 * 6.5, 1e-12);
  loop.reset();
  EXPECT_NEAR(add(none, 1001 * second, true), 2.0, 1e-12);
}

TEST_F(FeedforwardController, begins_only_near_the_measured_positions)
{
  Rig rig({{"ramp_time", 0.0},
      {"command_interfaces", std::vector<std::string>{"position", "effort"}}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(false, {0.3, 0.0}));  // 0.2 away
  static_cast<void>(rig.states[1]->set_value(-0.2));
  rig.send(motion, start);  // is followed: the robot is there by now
  EXPECT_NEAR(rig.update(start)[1], -0.2, 1e-15);
  rig.deactivate();
  ASSERT_TRUE(rig.activate(false, {0.3, 0.0}));
  const auto resting = rig.update(start + tick);
  EXPECT_TRUE(std::isnan(resting[0]));
  EXPECT_EQ(resting[2], 0.0);
}

TEST_F(FeedforwardController, refuses_a_chain_for_motors_behind_springs)
{
  Rig rig(Parameters{rclcpp::Parameter("commands_content", "motor_efforts")});
  ASSERT_TRUE(rig.made && rig.configure());
  EXPECT_FALSE(rig.activate(true, {}));
  EXPECT_TRUE(rig.activate(false, {}));
}

TEST_F(FeedforwardController, sends_nothing_beyond_a_limit_and_resumes_with_a_motion_from_rest)
{
  Motion fast;
  fast.length = 0.3;  // needs more than 30 N m
  for (const double ramp : {0.0, 0.1}) {
    Rig rig({{"ramp_time", ramp}});
    ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {}));
    bool beyond = false;
    double rest = 1.0;
    for (std::int64_t since = 0; since <= second; since += tick) {
      const auto jet = fast.jet(std::min(since, 3 * second / 10));
      rig.refer(jet);
      std::vector<double> tau(3 * joints);
      robot.inverse_dynamics(jet.data(), tau.data());
      beyond = beyond || std::abs(tau[0]) > 30.0 || std::abs(tau[1]) > 30.0;
      const auto sent = rig.update(start + since);
      EXPECT_LE(std::abs(sent[0]), 30.0);
      EXPECT_LE(std::abs(sent[1]), 30.0);
      EXPECT_TRUE(!beyond || ramp > 0.0 || (sent[0] == 0.0 && sent[1] == 0.0));
      rest = std::abs(sent[0]) + std::abs(sent[1]);
    }
    EXPECT_TRUE(beyond);
    EXPECT_EQ(rest, 0.0);  // the end of the motion that was stopped is held without efforts
    for (std::int64_t since = 0; since <= second; since += tick) {
      rig.refer(motion.jet(since));
      rest = rig.update(start + second + since)[0];
    }
    EXPECT_NEAR(rest, 12.0 * std::cos(0.7), 1e-12);
  }
}

TEST_F(FeedforwardController, rests_after_its_deactivation_and_forgets_the_spline)
{
  Rig rig({{"ramp_time", 0.0}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(false, {}));
  rig.send(motion, start);
  EXPECT_NE(rig.update(start + second / 2)[0], 0.0);
  const auto commands = rig.commands;
  rig.deactivate();
  for (const auto & command : commands) {
    EXPECT_EQ(command->get_optional().value(), 0.0);
  }
  ASSERT_TRUE(rig.activate(false, {}));
  EXPECT_EQ(rig.update(start + second / 2 + tick)[0], 0.0);
  rig.send(motion, start + second);
  EXPECT_NEAR(rig.update(start + second)[0], 12.0 * std::cos(0.3), 1e-12);
}

TEST_F(FeedforwardController, a_jerk_that_is_written_bounds_the_rate_of_efforts)
{
  Rig rig({{"ramp_time", 0.0}}, LIMITED_PENDULUMS);  // 100 N m/s
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {}));
  std::vector<double> jet(rows * joints);
  rig.refer(jet, 4);
  const int begun = 130;  // updates, until the rate has led to the effort
  for (int i = 0; i < begun; ++i) {
    rig.update(start + i * tick);
  }
  const double step = 100.0 * 1e-9 * static_cast<double>(tick);
  jet[3 * joints] = 60.0;  // 120 N m/s
  rig.refer(jet, 3);
  EXPECT_EQ(rig.update(start + begun * tick)[0], 12.0);  // which is not known
  rig.refer(jet, 4);
  EXPECT_NEAR(rig.update(start + (begun + 1) * tick)[0], 12.0, 1e-6);  // where it begins to end
  jet[3 * joints] = 0.0;
  rig.refer(jet, 3);
  EXPECT_NEAR(rig.update(start + (begun + 2) * tick)[0], 12.0 - step, 1e-6);  // a rest
  rig.refer({0.0, 0.0, 1e-3, 1e-3, 0.0, 0.0});
  const double other = rig.update(start + (begun + 3) * tick)[0];  // another motion
  EXPECT_NEAR(rig.update(start + (begun + 4) * tick)[0], std::min(other + step, 12.0), 1e-6);
}

TEST_F(FeedforwardController, a_held_state_or_reference_is_no_begin)
{
  Rig rig({{"ramp_time", 0.0},
      {"command_interfaces", std::vector<std::string>{"position", "effort"}}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {0.3, -0.2}));
  std::vector<double> before;
  for (std::int64_t since = 0; since <= second / 2; since += tick) {
    rig.refer(motion.jet(since));
    before = rig.update(start + since);
  }
  EXPECT_NEAR(before[0], motion.jet(second / 2)[0], 1e-15);  // 0.2 rad before the measured one
  rig.refer(motion.jet(second / 2 + tick));
  {
    const Held held(rig.states[0]->get_mutex());
    EXPECT_NEAR(
      rig.update(start + second / 2 + tick)[0], motion.jet(second / 2 + tick)[0], 1e-15);
  }
  before = rig.update(start + second / 2 + 2 * tick);
  {
    const Held held(rig.references[1]->get_mutex());
    EXPECT_EQ(rig.update(start + second / 2 + 3 * tick), before);
  }
  rig.refer(motion.jet(second / 2 + 4 * tick));
  EXPECT_NEAR(
    rig.update(start + second / 2 + 4 * tick)[0], motion.jet(second / 2 + 4 * tick)[0], 1e-15);
}

TEST_F(FeedforwardController, says_that_commands_cannot_be_written)
{
  using controller_interface::return_type;
  Rig rig({{"ramp_time", 0.0}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {}));
  testing::internal::CaptureStderr();
  rig.refer(motion.jet(0));
  {
    const Held held(rig.commands[1]->get_mutex());
    for (int i = 0; i < sdc::bridged_updates; ++i) {
      EXPECT_EQ(rig.step(start + i * tick), return_type::OK);
    }
    EXPECT_EQ(rig.step(start + 3 * tick), return_type::ERROR);
  }
  EXPECT_EQ(rig.step(start + 4 * tick), return_type::OK);
  rig.log_until("4 commands could not be written, 4 since");
  testing::internal::GetCapturedStderr();
}

TEST_F(FeedforwardController, compares_its_library_with_the_robot_description)
{
  const std::string other = "<robot name='pendulums'></robot>";
  struct Case
  {
    std::string library, urdf;
    std::vector<std::string> accepted;
    bool configured;
    std::string text;
  };
  const std::string ours = DESCRIPTION_SHA256, theirs = OTHER_SHA256;
  const std::vector<Case> cases{
    {described_pendulums, description, {}, true, ""},
    {described_pendulums, other, {}, false,
      "SHA-256 " + theirs + " (robot description), got " + ours},
    {described_pendulums, other, {theirs}, true, ""},
    {described_pendulums, "", {}, true, "robot_library is not compared with the robot "
      "description: there is none"},
    {pendulums, description, {}, true, "the library was not generated from a URDF"},
  };
  for (const auto & one : cases) {
    testing::internal::CaptureStderr();
    Rig rig(
      one.accepted.empty() ? Parameters{} : Parameters{{"accepted_descriptions", one.accepted}},
      one.library, one.urdf);
    EXPECT_TRUE(rig.made);
    EXPECT_EQ(rig.configure(), one.configured);
    const auto log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, HasSubstr(one.text));
    EXPECT_EQ(log.find("robot_library") == std::string::npos, one.text.empty()) << log;
  }
}

TEST_F(FeedforwardController, a_stop_between_two_reports_is_logged)
{
  Rig rig({{"ramp_time", 0.0}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {}));
  testing::internal::CaptureStderr();
  const std::vector<double> rest(6), beyond{0.0, 0.0, 0.0, 0.0, 20.0, 0.0};
  const std::vector<double> moving{0.0, 0.0, 1e-3, 1e-3, 0.0, 0.0};
  std::int64_t now = start;
  for (const auto & jet : {rest, beyond, rest, moving}) {
    rig.refer(jet);
    rig.update(now += tick);
  }
  const auto log = rig.log_until("commands are sent again");
  EXPECT_THAT(log, HasSubstr("no commands are sent: left: effort 52, limit 30"));
  // a reference that vanishes after a stop does not end it
  for (const auto & jet : {beyond, std::vector<double>(6, std::nan(""))}) {
    rig.refer(jet);
    for (int i = 0; i < 10; ++i) {
      rig.update(now += tick);
    }
  }
  rig.log_until("effort 52");
  bool waited = false;
  const auto timer = rig.controller->get_node()->create_wall_timer(
    std::chrono::milliseconds(300), [&] {waited = true;});
  rig.spin_until([&] {return waited;});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(FeedforwardController, rests_when_asked_and_says_that_it_does)
{
  using Trigger = std_srvs::srv::Trigger;
  Rig rig({{"ramp_time", 0.25}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {}));
  std::int64_t now = start;
  rig.refer(std::vector<double>(6));
  for (int i = 0; i < 300; ++i) {
    rig.update(now += tick);
  }
  const auto asker = std::make_shared<rclcpp::Node>("asker");
  const auto client = asker->create_client<Trigger>("/feedforward_controller/rest");
  rig.spin_until([&] {return client->service_is_ready();}, asker);
  const auto answer = client->async_send_request(std::make_shared<Trigger::Request>()).share();
  double last = rig.update(now += tick)[0], steepest = 0.0;
  const auto answered = [&] {
      const double next = rig.update(now += tick)[0];
      steepest = std::max(steepest, std::abs(next - last));
      last = next;
      return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
  rig.spin_until(answered, asker);
  EXPECT_TRUE(answer.get()->success);
  EXPECT_EQ(last, 0.0);
  EXPECT_LE(steepest, 1.001 * 1.875 * 12.0 / 250.0);
  testing::internal::CaptureStderr();
  rig.deactivate();
  ASSERT_TRUE(rig.activate(true, {}));  // without a step
  rig.refer(std::vector<double>(6));
  for (int i = 0; i < 300; ++i) {
    rig.update(now += tick);
  }
  rig.deactivate();
  const auto log = rig.log_until("in one step");
  EXPECT_EQ(log.find("in one step"), log.rfind("in one step"));
  testing::internal::GetCapturedStderr();
}

TEST_F(FeedforwardController, takes_another_ramp_time_while_it_is_active)
{
  Rig rig({{"ramp_time", 60.0}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {}));
  EXPECT_TRUE(rig.controller->get_node()->set_parameter({"ramp_time", 0.0}).successful);
  bool waited = false;
  const auto timer = rig.controller->get_node()->create_wall_timer(
    std::chrono::milliseconds(300), [&] {waited = true;});
  rig.spin_until([&] {return waited;});
  rig.refer(std::vector<double>(6));
  EXPECT_EQ(rig.update(start)[0], 12.0);
  EXPECT_FALSE(rig.controller->get_node()->set_parameter({"ramp_time", -1.0}).successful);
}

TEST_F(FeedforwardController, publishes_its_commands_and_its_guard)
{
  using control_msgs::msg::DynamicInterfaceGroupValues;
  Rig rig({{"ramp_time", 0.0},
      {"command_interfaces", std::vector<std::string>{"effort", "velocity"}}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {0.0, 0.0}));
  const auto listener = std::make_shared<rclcpp::Node>("listener");
  DynamicInterfaceGroupValues heard;
  const auto subscription = listener->create_subscription<DynamicInterfaceGroupValues>(
    "/feedforward_controller/controller_state", 10,
    [&](DynamicInterfaceGroupValues::ConstSharedPtr message) {heard = *message;});
  std::int64_t now = start;
  const auto hear = [&](const std::vector<double> & jet, double phase, double velocity) {
      rig.refer(jet);
      rig.spin_until(
        [&] {
          rig.update(now += tick);
          return !heard.interface_values.empty() &&
                 heard.interface_values.back().values[0] == phase &&
                 heard.interface_values[1].values[1] == velocity;
        }, listener);
    };
  hear({0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 1.0, 0.0);  // velocities begin at rest
  hear({0.0, 0.0, 0.5, -0.5, 0.0, 0.0}, 1.0, -0.5);
  EXPECT_THAT(heard.interface_groups, testing::ElementsAre("left", "right", "guard"));
  EXPECT_THAT(
    heard.interface_values[1].interface_names, testing::ElementsAre("effort", "velocity"));
  EXPECT_THAT(heard.interface_values[1].values, testing::ElementsAre(3.0, -0.5));
  hear({0.0, 0.0, 0.5, -0.5, 20.0, 0.0}, 2.0, 0.0);
  EXPECT_THAT(
    heard.interface_values[2].interface_names,
    testing::ElementsAre("phase", "quantity", "index", "value", "limit", "failed_writes"));
  EXPECT_THAT(
    heard.interface_values[2].values, testing::ElementsAre(2.0, 1.0, 0.0, 52.0, 30.0, 0.0));
  EXPECT_EQ(heard.interface_values[0].values[0], 0.0);
}

TEST_F(FeedforwardController, opens_its_robot_again_after_a_clean_up)
{
  Rig rig({{"ramp_time", 0.0}});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(rig.made && rig.configure() && rig.activate(true, {}));
    rig.refer(motion.jet(0));
    EXPECT_NEAR(rig.update(start + i * tick)[0], 12.0 * std::cos(0.3), 1e-12);
    rig.deactivate();
    EXPECT_EQ(rig.controller->get_node()->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
  }
}

TEST_F(FeedforwardController, says_which_message_it_does_not_follow)
{
  Rig rig({{"ramp_time", 0.0}});
  ASSERT_TRUE(rig.made && rig.configure() && rig.activate(false, {}));
  const auto sender = std::make_shared<rclcpp::Node>("sender");
  const auto publisher = sender->create_publisher<JointSpline>(
    "/feedforward_controller/spline", rclcpp::QoS(10).reliable());
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(sender);
  executor.add_node(rig.controller->get_node()->get_node_base_interface());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (publisher->get_subscription_count() == 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    executor.spin_some();
  }
  auto wrong = motion.message(start);
  wrong.joint_names[0] = "middle";
  std::vector<std::pair<JointSpline, std::string>> cases{{wrong, "joint_names"}};
  cases.emplace_back(motion.message(start), "finite");
  cases.back().first.pieces[0].coefficients[3] = std::nan("");
  cases.emplace_back(motion.message(start), "increase");
  cases.back().first.pieces[0].breaks = {1.0, 0.0};
  cases.emplace_back(motion.message(start), "coefficients");
  cases.back().first.pieces[0].coefficients.pop_back();
  cases.emplace_back(motion.message(start), "breaks");
  cases.back().first.pieces[0].breaks.clear();
  for (const auto & [message, text] : cases) {
    testing::internal::CaptureStderr();
    publisher->publish(message);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < end) {
      executor.spin_some();
    }
    const auto log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, HasSubstr("~/spline: not followed: "));
    EXPECT_THAT(log, HasSubstr(text));
  }
  EXPECT_EQ(rig.update(start)[0], 0.0);
}

TEST_F(FeedforwardController, says_what_is_wrong_with_its_parameters)
{
  using Names = std::vector<std::string>;
  using Numbers = std::vector<double>;
  struct Case
  {
    Parameters parameters;
    std::string library, text;
    bool made;
  };
  const std::string nowhere = "/nowhere/libarm.so";
  auto links = regulator;
  links.emplace_back("command_joints", Names{"left", "right"});
  const std::vector<Case> cases{
    {{}, "", "not configured: robot_library: expected a path, got none", true},
    {{{"command_interfaces", Names{"torque"}}}, pendulums, "command_interfaces", false},
    {{{"command_interfaces", Names{}}}, pendulums, "command_interfaces", false},
    {{{"effort_content", "half"}}, pendulums, "effort_content", false},
    {{{"ramp_time", -1.0}}, pendulums, "ramp_time", false},
    {{{"ramp_time", "long"}}, pendulums, "ramp_time", false},
    {{}, nowhere, "not configured: robot library: " + nowhere, true},
    {{}, "libm.so.6", "expected the function screw_dynamics_robot in libm.so.6", true},
    {{{"command_joints", Names{"left"}}}, pendulums, "command_joints: expected 2 names, got 1",
      true},
    {{{"effort_sign", Numbers{1.0}}}, pendulums, "effort_sign: expected 2 finite numbers, got 1",
      true},
    {{{"effort_offset", Numbers{1.0, std::nan("")}}}, pendulums,
      "effort_offset: expected 2 finite numbers", true},
    {Parameters(regulator.begin() + 2, regulator.end()), pendulums,
      "feedback: expected commands of motors", true},
    {links, pendulums, "command_joints: expected motors, whose states are not those of a link, "
      "for feedback, got left", true},
    {{{"feedback.poses", Numbers{0.0, 0.0}}, {"commands_content", "motor_efforts"}}, pendulums,
      "feedback.gains: expected 16 finite numbers, got 0", true},
  };
  for (const auto & one : cases) {
    testing::internal::CaptureStderr();
    Rig rig(one.parameters, one.library);
    EXPECT_EQ(rig.made, one.made);
    if (rig.made) {
      EXPECT_EQ(rig.controller->configure().id(), State::PRIMARY_STATE_UNCONFIGURED);
      EXPECT_EQ(rig.controller->configure().id(), State::PRIMARY_STATE_UNCONFIGURED);
    }
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(one.text));
  }
}

}  // namespace
