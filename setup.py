# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Build script of the ament_python package; pip and colcon both run it."""

import os
import sys
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

NAME = 'screw_dynamics'
# colcon's build by links runs a link to this file in a folder without the README
ROOT = Path(__file__).resolve().parent

SCRIPTS = {'screw_dynamics': 'command_line'}
# `ros2 run` tells executables of packages apart; names such as `demo` are not for the
# commands of an environment without ROS 2, where nodes cannot run anyway
if os.environ.get('AMENT_PREFIX_PATH'):
    EXECUTABLES = (
        'nodes',
        'feedforward',
        'compensation',
        'drive_commands',
        'dynamics_server',
        'trajectory_sender',
        'sea_simulator',
        'load_observer',
        'viewer',
        'recorder',
        'demo',
        'demo_sea',
        'demo_soft',
    )
    SCRIPTS.update({name: name for name in EXECUTABLES})


def extension() -> dict[str, object]:
    """Return the arguments of the extension module: without NumPy none, unless it is required."""
    choice = os.environ.get('SCREW_DYNAMICS_EXTENSION')
    if choice == '0':
        return {}
    sys.path.insert(0, str(ROOT))
    try:
        from screw_dynamics.codegen.extension.build import BuildKernels, extension_modules
    except ImportError as error:
        if choice == '1':
            raise
        print(f'the extension module of compiled kernels is not built: {error}', file=sys.stderr)
        return {}
    return {'ext_modules': extension_modules(), 'cmdclass': {'build_ext': BuildKernels}}


setup(
    name=NAME,
    version='0.1.0',
    description=(
        'Inverse dynamics of robots and its time derivatives of any order, in screw coordinates, '
        'with ROS 2 nodes that publish feedforward joint efforts'
    ),
    long_description=(ROOT / 'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    author='screw_dynamics contributors',
    maintainer='screw_dynamics contributors',
    license='Apache-2.0',
    classifiers=[
        'Development Status :: 4 - Beta',
        'Intended Audience :: Science/Research',
        'Operating System :: MacOS',
        'Operating System :: POSIX :: Linux',
        *(f'Programming Language :: Python :: 3.{minor}' for minor in range(10, 14)),
        'Topic :: Scientific/Engineering :: Physics',
        'Typing :: Typed',
    ],
    keywords=['ROS', 'robotics', 'inverse dynamics', 'screw theory', 'feedforward'],
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={
        NAME: ['py.typed', '__init__.pyi'],
        f'{NAME}.codegen.extension': ['module.c', 'prelude.h'],
        f'{NAME}.codegen.translator': ['numbers.h'],
        f'{NAME}.viewer': ['page.html'],
    },
    **extension(),
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        (f'share/{NAME}/launch', sorted(glob('launch/*launch.[pxy][yma]*'))),
        (f'share/{NAME}/config', sorted(glob('config/*'))),
        (f'share/{NAME}/urdf', sorted(glob('urdf/*.urdf'))),
        # the studies that demo, demo_sea and demo_soft run
        *(
            (f'share/{NAME}/examples/{study}', sorted(glob(f'examples/{study}/*.py')))
            for study in ('ros_demo', 'sea_study', 'soft_study')
        ),
        # of real robots, with their licences
        (f'share/{NAME}/examples/recorded', sorted(glob('examples/recorded/*'))),
        # the command line writes bags without ROS, and embeds the definitions of our messages
        (f'share/{NAME}/{NAME}_interfaces/msg', sorted(glob(f'{NAME}_interfaces/msg/*.msg'))),
    ],
    zip_safe=False,
    python_requires='>=3.10',
    # the floors are what Ubuntu 24.04 ships
    install_requires=[
        'numpy>=1.26',
        'scipy>=1.11',
        'pyyaml>=6.0',
        'threadpoolctl>=3.1',
    ],
    extras_require={
        'bags': ['mcap>=1.6', 'rosbags>=0.11.6'],
        'cli': ['argcomplete>=3.1', 'matplotlib>=3.6', 'mcap>=1.6', 'rich>=13', 'rosbags>=0.11.6'],
        'descriptions': ['robot_descriptions>=1.12'],
        'fleet': ['mcap>=1.6', 'pyarrow>=14', 'rosbags>=0.11.6'],
        'jax': ['jax>=0.4.38'],
        'mujoco': ['mujoco>=3.3.4'],
        'pinocchio': ['pin>=4.1'],
        'plot': ['matplotlib>=3.6'],
        'symbolic': ['sympy>=1.12'],
        'tables': ['pandas>=2.1', 'xarray>=2023.6'],
        'torch': ['torch>=2.3'],
        # pycollada reads the meshes of most robots
        'view': ['pillow', 'pycollada>=0.7', 'trimesh>=4.0', 'viser>=1.1'],
        'demo': ['matplotlib>=3.6', 'mcap>=1.6', 'mujoco>=3.1', 'rich>=13', 'rosbags>=0.11.6'],
        'test': [
            # launch_pytest of Jazzy calls a function that pytest 8.4 removed
            'pytest>=7.4,<8.4',
            'pytest-timeout>=2.3',
            'pytest-xdist>=3.5',
            'gmpy2>=2.1',
            'hypothesis>=6.98',
            'matplotlib>=3.6',
            'mcap>=1.6',
            'mcap-ros2-support>=0.5',  # an independent reader of bags
            'mpmath>=1.2',
            # an independent implementation to compare with
            'pin>=4.1',
            'piqp>=0.6',  # another solver of convex programs
            # six robots that the tests read
            'dexmate-urdf>=0.8.4',
            'example-robot-data>=6.0',
            'icub-models>=3.2',
            'jvrc-description>=1.1.1',
            # an independent simulator
            'mujoco>=3.1',
            'rosbags>=0.11.6',
            'sympy>=1.12',
            'argcomplete>=3.1',
            'pandas>=2.1',
            'pyarrow>=14',
            'rich>=13',
            'xarray>=2023.6',
            'trimesh>=4.0',
            'viser>=1.1',
            # a notebook with the viewer
            'ipykernel>=6',
            'nbclient>=0.8',
        ],
        'lint': [
            'import-linter>=2.7',
            'mypy',
            'ruff',
            'scipy-stubs; python_version >= "3.11"',
            'types-PyYAML',
        ],
        'docs': [
            'furo>=2024.8',
            'ipykernel',
            'matplotlib>=3.6',
            'mcap>=1.6',
            'myst-nb>=1.2',
            'numpydoc>=1.8',
            'rosbags>=0.11.6',
            'sphinx>=8.0',
            'sphinx-copybutton>=0.5',
            'sphinx-design>=0.6',
            'sympy>=1.12',
        ],
        # objects of urdfpy are converted too; its release wants a networkx that does not import on
        # Python >= 3.10, so a newer networkx has to be installed after it
        'urdfpy': ['urdfpy>=0.0.22'],
    },
    entry_points={
        'console_scripts': [
            f'{name} = {NAME}.entry_points:{function}' for name, function in SCRIPTS.items()
        ]
    },
)
