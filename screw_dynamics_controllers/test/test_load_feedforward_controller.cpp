// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// A controller manager loads the controller by its name.

#include <gmock/gmock.h>

#include <memory>

#include "controller_manager/controller_manager.hpp"
#include "rclcpp/rclcpp.hpp"
#include "ros2_control_test_assets/descriptions.hpp"

TEST(LoadFeedforwardController, is_loaded_by_its_name)
{
  rclcpp::init(0, nullptr);
  const auto executor = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
  controller_manager::ControllerManager manager(
    executor, ros2_control_test_assets::minimal_robot_urdf, true, "manager");
  const auto loaded = manager.load_controller(
    "feedforward", "screw_dynamics_controllers/FeedforwardController");
  EXPECT_NE(loaded, nullptr);
  rclcpp::shutdown();
}
