# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Build the extension module of compiled kernels beside its sources."""

from pathlib import Path


def build_extension(environment):
    """Build the module anew if a source, or what was built, has changed."""
    package = environment.root / 'screw_dynamics'
    folders = [package / 'kernels', package / 'codegen']
    sources = [path for folder in folders for path in folder.rglob('*.[chp]*')]
    inputs = [Path(__file__), *sorted(path for path in sources if path.suffix != '.pyc')]
    built = sorted(package.glob('_kernels*.so'))
    if built and environment.is_done('extension', [*inputs, *built]):
        return
    environment.progress.run(
        'extension',
        'extension module of compiled kernels',
        [
            environment.python, environment.root / 'setup.py', 'build_ext', '--inplace',
            '--build-temp', environment.prefix / 'build' / 'extension',
        ],
        environment.variables(),
    )  # fmt: skip
    environment.mark_done('extension', [*inputs, *sorted(package.glob('_kernels*.so'))])
