// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Solver of the package inverse_dynamics_solver, by the generated C of a robot.

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "inverse_dynamics_solver/exceptions.hpp"
#include "inverse_dynamics_solver/inverse_dynamics_solver.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/parameter.hpp"
#include "screw_dynamics_controllers/robot_description.hpp"
#include "screw_dynamics_controllers/robot_library.hpp"

namespace screw_dynamics_controllers
{

// Efforts tau = H q'' + C q' + g + f of the motors on the joint side of their gears, or of the
// springs of joints that have some. H has the rotors of the former, g the parallel springs, and f
// is the friction under no load. Calls share nothing that changes.
class InverseDynamicsSolver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  using Vector = Eigen::VectorXd;
  using Parameters = rclcpp::node_interfaces::NodeParametersInterface;

  void initialize(
    Parameters::ConstSharedPtr parameters, const std::string & space,
    const std::string & description) override
  {
    const std::string prefix = space.empty() ? "" : space + ".", name = prefix + "robot_library";
    const auto get = [&parameters](const std::string & wanted, auto value) {
        rclcpp::Parameter found;
        const bool known = parameters && parameters->get_parameter(wanted, found);
        return known ? found.get_value<decltype(value)>() : value;
      };
    const auto path = get(name, std::string());
    if (path.empty()) {
      throw inverse_dynamics_solver::ParameterUninitializedException(name);
    }
    const auto logger = rclcpp::get_logger("screw_dynamics_controllers");
    try {
      auto library = std::make_unique<RobotLibrary>(path);
      const auto warning = require_description(
        library->robot(), path,
        description.empty() ? get("robot_description", std::string()) : description,
        get(prefix + "accepted_descriptions", std::vector<std::string>()));
      if (!warning.empty()) {
        RCLCPP_WARN(logger, "%s", warning.c_str());
      }
      std::string names;
      for (int j = 0; j < library->robot().joints; ++j) {
        names += std::string(j > 0 ? ", " : "") + library->robot().joint_names[j];
      }
      RCLCPP_INFO(logger, "solver of the joints %s, in this order", names.c_str());
      library_ = std::move(library);
    } catch (const std::exception & error) {
      throw inverse_dynamics_solver::InvalidParameterValueException(
              (space.empty() ? "" : space + ": ") + error.what());
    }
    for (const char * other : {"root", "tip", "gravity"}) {
      if (parameters->has_parameter(prefix + other)) {
        RCLCPP_WARN(
          logger, "%s%s has no effect: it is that of the library", prefix.c_str(), other);
      }
    }
  }

  Eigen::MatrixXd getInertiaMatrix(const Vector & q) const override
  {
    const auto & robot = of({&q});
    Eigen::MatrixXd result(q.size(), q.size());
    robot.mass_matrix(q.data(), result.data());
    result.diagonal() += Eigen::Map<const Vector>(robot.rotor_inertias, q.size());
    return result;
  }

  Vector getCoriolisVector(const Vector & q, const Vector & qd) const override
  {
    Vector result(q.size());
    of({&q, &qd}).coriolis_forces(q.data(), qd.data(), result.data());
    return result;
  }

  Vector getGravityVector(const Vector & q) const override
  {
    Vector result(q.size());
    of({&q}).gravity_forces(q.data(), result.data());
    return result - drive_forces(q, Vector::Zero(q.size())).col(0);
  }

  Vector getFrictionVector(const Vector & qd) const override
  {
    return drive_forces(Vector::Zero(qd.size()), qd).col(1);
  }

private:
  // Return the robot; raise if there is none, or vectors of its joints have another size.
  const screw_dynamics_robot_table & of(std::initializer_list<const Vector *> vectors) const
  {
    if (!library_) {
      throw inverse_dynamics_solver::UninitializedException();
    }
    const auto & robot = library_->robot();
    for (const auto * vector : vectors) {
      if (vector->size() != robot.joints) {
        throw std::invalid_argument(
                "expected " + std::to_string(robot.joints) + " numbers, those of the joints from " +
                robot.joint_names[0] + " to " + robot.joint_names[robot.joints - 1] + ", got " +
                std::to_string(vector->size()));
      }
    }
    return robot;
  }

  // Efforts of parallel springs, and friction (n, 2).
  Eigen::MatrixX2d drive_forces(const Vector & q, const Vector & qd) const
  {
    const auto & robot = of({&q, &qd});
    Eigen::MatrixX2d result = Eigen::MatrixX2d::Zero(q.size(), 2);
    if (robot.drive_forces != nullptr) {
      robot.drive_forces(q.data(), qd.data(), result.data(), result.data() + q.size());
    }
    return result;
  }

  std::unique_ptr<RobotLibrary> library_;
};

}  // namespace screw_dynamics_controllers

PLUGINLIB_EXPORT_CLASS(
  screw_dynamics_controllers::InverseDynamicsSolver, inverse_dynamics_solver::InverseDynamicsSolver)
