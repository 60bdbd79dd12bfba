# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
#
# Enter the environment that .ci/set_up made: source .ci/env.bash
_screw_dynamics_prefix="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.venv"
if [ ! -f "$_screw_dynamics_prefix/local_setup.bash" ]; then
  echo "$_screw_dynamics_prefix is not complete: run 'make setup' first" >&2
  unset _screw_dynamics_prefix
  return 1
fi
. "$_screw_dynamics_prefix/bin/activate"
# colcon's: the paths of the interface package
. "$_screw_dynamics_prefix/local_setup.bash"
unset _screw_dynamics_prefix
