# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Exact robot dynamics with time derivatives of any order, from a URDF, live in ROS 2.

The sub-packages follow the data flow: `model` converts a URDF; `trajectory` converts waypoints to
joint jets; `dynamics` computes with both; `drives` computes the commands of motors behind springs,
`simulation` the motion of such a robot; `nodes` connect all of this to ROS 2 topics and services;
`recordings` has bags. Only `nodes` and the recorder need ROS.
``import screw_dynamics`` imports none of them: each is imported at its first use.

Examples
--------
>>> import numpy as np
>>> import screw_dynamics as sd
>>> model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
>>> jet = np.zeros((5, model.n))
>>> tau, tau_dot, tau_ddot = sd.inverse_dynamics(model, jet)
>>> bool(tau_dot.any())
False
"""

from importlib import import_module as _import_module

__version__ = '0.1.0'

# modules of the public names: the lines `from MODULE import NAME as NAME` of the stub
_STUB = __spec__.loader.get_data(f'{__file__.rpartition(".")[0]}.pyi').decode()
_LINES = [line.split() for line in _STUB.splitlines() if line.startswith('from ')]
_MODULE_OF = {name: module for _, module, _, name, *_ in _LINES}
__all__ = sorted(['__version__', *_MODULE_OF])
# sub-packages and modules that are attributes without an import of their own
_ROOMS = {module.split('.')[1] or name for name, module in _MODULE_OF.items()}

# calls in place of functions of Pinocchio, for the text of an error
_OF_PINOCCHIO = {
    'buildModelFromUrdf': 'read_urdf(path) or sd.from_pinocchio(pin_model)',
    'rnea': 'inverse_dynamics(model, sd.jet(q, qd, qdd))',
    'aba': 'forward_dynamics(model, q, qd, tau)',
    'crba': 'mass_matrix(model, q)',
    'nonLinearEffects': 'bias_forces(model, q, qd)',
    'computeCoriolisMatrix': 'coriolis_matrix(model, q, qd)',
    'computeGeneralizedGravity': 'gravity_forces(model, q)',
    'forwardKinematics': 'frame_pose(model, q, frame)',
    'computeFrameJacobian': 'frame_jacobian(model, q, frame, representation)',
    'centerOfMass': 'centre_of_mass(model, q)',
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use (PEP 562)."""
    if name in _ROOMS:
        value: object = _import_module(f'.{name}', __name__)
    elif name in _MODULE_OF:
        value = getattr(_import_module(_MODULE_OF[name], __name__), name)
    else:
        known = _OF_PINOCCHIO.get(name)
        hint = f"; Pinocchio's {name} is sd.{known} here" if known else ''
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}{hint}')
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
