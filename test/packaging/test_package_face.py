# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The face of the package: names, types, examples of docstrings."""

import ast
import doctest
import pkgutil
import re
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest
from documents import ROOT
from helpers.patience import patience

import screw_dynamics as sd

pytestmark = pytest.mark.processes


def test_type_checkers_see_what_is_imported_at_run_time():
    """All names of the stub, which the face reads line by line."""
    imports = [
        statement
        for statement in ast.parse(Path(sd.__file__).with_suffix('.pyi').read_text()).body
        if isinstance(statement, ast.ImportFrom)
    ]
    names = {alias.name for statement in imports for alias in statement.names}
    assert names == {*sd.__all__} - {'__version__'}
    for statement in imports:
        (alias,) = statement.names
        assert alias.asname == alias.name
        module = import_module(f'.{statement.module or ""}'.rstrip('.') or '.', 'screw_dynamics')
        assert getattr(module, alias.name) is getattr(sd, alias.name)


def test_choices_are_literals_and_their_check_lists_the_same():
    choices = {
        sd.frame_jacobian: ('representation', ('body', 'spatial', 'hybrid', 'mixed')),
        sd.EffortFormat: ('content', ('full', 'without_gravity', 'gravity_only', 'external')),
    }
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    arguments = {
        sd.frame_jacobian: (arm, [0.0, 0.0], 'tool'),
        sd.coriolis_matrix: (arm, [0.0, 0.0], [0.0, 0.0]),
        sd.EffortFormat: (),
    }
    for function, (name, words) in choices.items():
        hints = get_type_hints(function.__init__ if isinstance(function, type) else function)
        assert get_args(hints[name]) == words
        text = f"^{name}: expected one of {', '.join(words)}, got 'other'"
        with pytest.raises(sd.errors.InputError, match=text):
            function(*arguments[function], **{name: 'other'})


def test_names_are_read_from_an_archive(tmp_path):
    archive = tmp_path / 'packed.zip'
    with zipfile.ZipFile(archive, 'w') as packed:
        for path in Path(sd.__file__).parent.rglob('*.py*'):
            packed.write(path, path.relative_to(ROOT))
    script = f'import sys; sys.path.insert(0, {str(archive)!r}); import screw_dynamics as sd\n'
    done = subprocess.run(
        [sys.executable, '-c', f'{script}print(sd.ScrewDynamicsError, sd.__file__)'],
        capture_output=True,
        text=True,
        timeout=patience(),
    )
    assert str(archive) in done.stdout, done.stderr


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'screw_dynamics' has no attribute 'dynamic'"):
        _ = sd.dynamic
    assert not hasattr(sd, '__wrapped__')


def test_calls_of_pinocchio_are_answered_by_those_of_this_package():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    q, qd, qdd = np.zeros((3, 2))
    joined = r'sd\.jet\(q, qd, qdd\)'
    with pytest.raises(AttributeError, match=rf'sd\.inverse_dynamics\(model, {joined}\)'):
        _ = sd.rnea
    for inputs in ((q, qd, qdd), (q, qd), (q,)):
        with pytest.raises(sd.errors.InputError, match=joined):
            sd.inverse_dynamics(arm, *inputs)
    for function in (sd.regressor, sd.effort_partials):
        with pytest.raises(sd.errors.InputError, match=joined):
            function(arm, q)
    with pytest.raises(sd.errors.InputError, match=joined):
        sd.frame_twist(arm, q, 'tool')
    for word, own in (('LOCAL', 'body'), ('world', 'spatial'), ('LOCAL_WORLD_ALIGNED', 'hybrid')):
        with pytest.raises(
            sd.errors.InputError, match=f"mixed, got '{word}': .* is '{own}' here$"
        ):
            sd.frame_jacobian(arm, q, 'tool', word)


def test_names_of_others_are_not_in_the_list():
    assert not {'annotations', 'import_module', 'Any'} & {*dir(sd), *dir(sd.trajectory)}


def test_sub_packages_need_no_import_of_their_own():
    script = 'import screw_dynamics as sd; print(sd.drives.LinearSpring, sd.errors.InputError)'
    done = subprocess.run(
        [sys.executable, '-c', script], cwd=ROOT, capture_output=True, timeout=patience()
    )
    assert done.returncode == 0, done.stderr


ROOMS = '|'.join(path.parent.name for path in (ROOT / 'screw_dynamics').glob('*/__init__.py'))
# in backticks, as `kernels.drives.friction` or `sd.soft.Thread`
DOTTED = re.compile(rf'`(?:screw_dynamics\.|sd\.)?((?:{ROOMS})(?:\.[A-Za-z_]\w*)+)')


def exists(dotted):
    """Return whether a path below the package is that of a file or of what a module contains."""
    first, second, *_ = dotted.split('.')
    if first == 'model' and second in {*dir(sd.ScrewModel), *sd.ScrewModel.__dataclass_fields__}:
        return True
    if (ROOT / 'screw_dynamics' / dotted.replace('.', '/')).with_suffix('.py').is_file():
        return True  # also if it needs ROS
    try:
        return pkgutil.resolve_name(f'screw_dynamics.{dotted}') is not None
    except (ImportError, AttributeError):
        return False


def test_dotted_paths_in_docstrings_exist():
    found = {
        dotted
        for path in (ROOT / 'screw_dynamics').rglob('*.py')
        for dotted in DOTTED.findall(path.read_text(encoding='utf-8'))
    }
    assert len(found) > 20
    assert not {dotted for dotted in found if not exists(dotted)}


# an example that is run; those of bags would need one and are marked
EXAMPLE = re.compile(r'^ *>>> (?!.*doctest: \+SKIP)', re.MULTILINE)
MODULES = sorted(
    '.'.join(path.relative_to(ROOT).with_suffix('').parts).removesuffix('.__init__')
    for path in (ROOT / 'screw_dynamics').rglob('*.py')
    if EXAMPLE.search(path.read_text(encoding='utf-8'))
)


def test_there_are_examples():
    assert len(MODULES) > 20


@pytest.mark.parametrize('name', MODULES)
def test_examples(name):
    result = doctest.testmod(
        import_module(name), globs={}, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted and not result.failed
