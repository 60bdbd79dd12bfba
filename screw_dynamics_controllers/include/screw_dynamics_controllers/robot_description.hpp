// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the library of a robot is that of a robot description.
#ifndef SCREW_DYNAMICS_CONTROLLERS__ROBOT_DESCRIPTION_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__ROBOT_DESCRIPTION_HPP_

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "rcutils/sha256.h"
#include "screw_dynamics_controllers/robot_table.h"

namespace screw_dynamics_controllers
{

inline std::string digest_of(const std::string & text)
{
  rcutils_sha256_ctx_t context;
  rcutils_sha256_init(&context);
  rcutils_sha256_update(
    &context, reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
  std::array<std::uint8_t, RCUTILS_SHA256_BLOCK_SIZE> bytes{};
  rcutils_sha256_final(&context, bytes.data());
  std::string result;
  for (const auto byte : bytes) {
    result += "0123456789abcdef"[byte >> 4];
    result += "0123456789abcdef"[byte & 15];
  }
  return result;
}

// Raise std::invalid_argument if the library at a path is that of another robot description.
// Return a warning if they cannot be compared.
inline std::string require_description(
  const screw_dynamics_robot_table & robot, const std::string & path,
  const std::string & description, const std::vector<std::string> & accepted)
{
  const std::string known = robot.urdf_sha256;
  if (description.empty() || known.empty()) {
    return std::string("robot_library is not compared with the robot description: ") +
           (description.empty() ? "there is none" : "the library was not generated from a URDF");
  }
  const std::string digest = digest_of(description);
  if (digest != known && std::find(accepted.begin(), accepted.end(), digest) == accepted.end()) {
    throw std::invalid_argument(
            "robot_library: expected one of the URDF with the SHA-256 " + digest +
            " (robot description), got " + known + " in " + path +
            ": generate it again, or add the former to accepted_descriptions if it is that robot");
  }
  return "";
}

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__ROBOT_DESCRIPTION_HPP_
