// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Answers of inverse dynamics solvers, loaded by the names of their classes: solve N NAMESPACE
// CLASS ... reads states (3, N) in doubles until the end, and writes for each solver and state
// inertia matrix, Coriolis, gravity, friction, torques. Prints the least time of each call [us].

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <vector>

#include "inverse_dynamics_solver/inverse_dynamics_solver.hpp"
#include "pluginlib/class_loader.hpp"
#include "rclcpp/rclcpp.hpp"

namespace
{

using Solver = inverse_dynamics_solver::InverseDynamicsSolver;

void write(const Eigen::MatrixXd & values)
{
  std::fwrite(values.data(), sizeof(double), values.size(), stdout);
}

template<typename Call>
void print_time(Call call)
{
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 200; ++round) {
    const auto begin = Clock::now();
    for (int k = 0; k < 100; ++k) {
      call();
    }
    const std::chrono::duration<double, std::micro> passed = Clock::now() - begin;
    least = std::min(least, passed.count() / 100);
  }
  std::fprintf(stderr, " %.3f", least);
}

}  // namespace

int main(int argc, char ** argv)
{
  const auto given = rclcpp::init_and_remove_ros_arguments(argc, argv);
  rclcpp::NodeOptions options;
  options.automatically_declare_parameters_from_overrides(true);
  const auto node = std::make_shared<rclcpp::Node>("my_controller", options);
  pluginlib::ClassLoader<Solver> loader(
    "inverse_dynamics_solver", "inverse_dynamics_solver::InverseDynamicsSolver");
  const long n = std::stol(given[1]);
  std::vector<Eigen::MatrixXd> states;
  for (Eigen::MatrixXd state(n, 3);
    std::fread(state.data(), sizeof(double), 3 * n, stdin) == std::size_t(3 * n);)
  {
    states.push_back(state);
  }
  for (std::size_t i = 2; i + 1 < given.size(); i += 2) {
    const auto solver = loader.createUniqueInstance(given[i + 1]);
    try {
      solver->initialize(node->get_node_parameters_interface(), given[i]);
      for (const auto & state : states) {
        const Eigen::VectorXd q = state.col(0), qd = state.col(1), qdd = state.col(2);
        write(solver->getInertiaMatrix(q));
        write(solver->getCoriolisVector(q, qd));
        write(solver->getGravityVector(q));
        write(solver->getFrictionVector(qd));
        write(solver->getTorques(q, qd, qdd));
      }
    } catch (const std::exception & error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
    const Eigen::VectorXd q = states[0].col(0), qd = states[0].col(1), qdd = states[0].col(2);
    std::fprintf(stderr, "%s:", given[i + 1].c_str());
    print_time([&] {solver->getInertiaMatrix(q);});
    print_time([&] {solver->getCoriolisVector(q, qd);});
    print_time([&] {solver->getGravityVector(q);});
    print_time([&] {solver->getFrictionVector(qd);});
    print_time([&] {solver->getTorques(q, qd, qdd);});
    std::fprintf(stderr, "\n");
  }
  return 0;
}
