# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Write the parameter files in config/ and the tables in docs/ from the code.

The tables are of parameters, options, file entries and equations.

A table stands between the lines `<!-- table: SOURCE -->` and `<!-- end of table -->`; SOURCE names
a function of this file and its arguments. Run from the root of the repository, with ROS 2:
``python docs/generate.py``. A test compares the pages with what this script would write.
"""

from __future__ import annotations

import ast
import re
import runpy
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from inspect import getdoc
from itertools import chain
from math import isinf
from pathlib import Path
from typing import Any

import yaml

import screw_dynamics as sd
from screw_dynamics.common.settings import Rule, rule_of
from screw_dynamics.control.compensation import CompensationParameters
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.dynamics_server.requests import DynamicsServerParameters
from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.nodes.trajectory_sender import SenderParameters
from screw_dynamics.nodes.viewer import ViewerParameters
from screw_dynamics.soft.segments import append_segments
from screw_dynamics.soft.segments.segment_types import SEGMENT_TYPES
from screw_dynamics.soft.segments.thread_set import ThreadSpec

DOCS = Path(__file__).resolve().parent
DECLARED = runpy.run_path(str(DOCS / 'declared_arguments.py'), run_name='declared_arguments')
EQUATIONS = runpy.run_path(str(DOCS / 'equations.py'))
TABLE = re.compile(r'(<!-- table: (.+?) -->\n)(.*?)(<!-- end of table -->\n)', re.DOTALL)

NODES = {
    'feedforward': FeedforwardParameters,
    'compensation': CompensationParameters,
    'drive_commands': DriveCommandsParameters,
    'dynamics_server': DynamicsServerParameters,
    'sea_simulator': SeaSimulatorParameters,
    'load_observer': LoadObserverParameters,
    'viewer': ViewerParameters,
    'trajectory_sender': SenderParameters,
}
# entries of files whose names differ from the fields that they set
LIMIT_ENTRIES = {'max_deflection': 'deflection', 'max_effort_rate': 'effort_rate'}
# entries of the YAML file of a model that have other names than fields, or a name for an index
MODEL_FIELDS = {
    'coordinates[].name': 'joint_names',
    'bodies[].name': 'body_names',
    'bodies[].joint': 'tree_joint_names',
    'bodies[].type': 'joint_types',
}
NAMED_ENTRIES = {
    'bodies[].parent': 'Name of the parent body; `null` for the base.',
    'bodies[].coordinate': 'Name of the coordinate of the tree joint.',
    'frames.*.body': 'Name of the body; `null` for the base.',
}


def main() -> None:
    """Write the pages and parameter files anew, and name those that have changed."""
    for path, text in chain(parameter_files(), pages()):
        if not path.exists() or path.read_text(encoding='utf-8') != text:
            path.write_text(text, encoding='utf-8')
            print(f'written: {path.relative_to(DOCS.parent)}')


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every page with tables, and its text with the tables of the present records."""
    for path in sorted(DOCS.rglob('*.md')):
        old = path.read_text(encoding='utf-8')
        if TABLE.search(old):
            yield path, TABLE.sub(lambda match: f'{match[1]}\n{table(match[2])}\n{match[4]}', old)


def table(source: str) -> str:
    """Return the Markdown of a table from the words that name it."""
    kind, *arguments = source.split()
    makers = {
        'parameters': parameter_values,
        'fields': record_fields,
        'options': command_options,
        'model': model_entries,
        'launch': launch_arguments,
        'controller': controller_parameters,
        'gallery': gallery,
        'segments': segment_entries,
        'files': citing_files,
        'equations': EQUATIONS['table'],
        'page': EQUATIONS['page_table'],
    }
    return makers[kind](*arguments)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with a line break at its end."""
    lines = [header, ['---'] * len(header), *rows]
    return ''.join(f'| {" | ".join(line)} |\n' for line in lines)


def citing_files(paper: str) -> str:
    """Return a list of the modules that name the key of a paper, by folder of the package."""
    package = DOCS.parent / 'screw_dynamics'
    folders: dict[str, list[str]] = {}
    for path in sorted(package.rglob('*.py')):
        if re.search(rf'\b{paper}\b', path.read_text(encoding='utf-8')):
            folder = path.parent.relative_to(package).as_posix()
            folders.setdefault(folder, []).append(f'`{path.name}`')
    if not folders:
        raise LookupError(f'no file cites {paper}')
    return ''.join(f'- `{folder}/`: {", ".join(files)}\n' for folder, files in folders.items())


def gallery() -> str:
    """Return cards of the figures, with the text of each script and the section that shows it."""
    cards = []
    for script in sorted((DOCS.parent / 'examples' / 'gallery').glob('[!_]*.py')):
        text = ast.get_docstring(ast.parse(script.read_text(encoding='utf-8'))) or ''
        text = text.partition('\n\n')[0].replace('\n', ' ')
        title = script.stem.capitalize().replace('_', ' ')
        image = f'gallery/{script.stem}.png'
        links = f'[figure]({image}), [script](../examples/gallery/{script.name})'
        cards.append(
            f':::{{grid-item-card}} {title}\n:img-top: {image}\n:img-alt: {text}\n'
            f'{links}, [more]({shown_in(image)})\n:::\n'
        )
    return '::::{grid} 1 2 2 3\n:gutter: 2\n\n' + '\n'.join(cards) + '\n::::\n'


def shown_in(image: str) -> str:
    """Return the link to the first section that shows a figure of the gallery."""
    for page in chain(sorted(DOCS.glob('*.md')), sorted(DOCS.glob('*/*.md'))):
        above, shown, _ = page.read_text(encoding='utf-8').partition(f'{image})')
        if shown and page.stem != 'gallery':
            heading = re.findall(r'^#+ (.+)$', above, re.MULTILINE)[-1].lower()
            anchor = re.sub(r'[^\w -]', '', heading).replace(' ', '-')
            return f'{page.relative_to(DOCS).as_posix()}#{anchor}'
    raise LookupError(f'no page shows {image}')


def parameter_values(node: str) -> str:
    """Return the parameters of an executable."""
    rows = []
    for item in fields(NODES[node]):
        rule = rule_of(item)
        values = allowed(rule, item.default) + '; *fixed*' * rule.read_only
        rows.append([f'`{rule.name}`', code(item.default), values, prose(rule.description)])
    return markdown(('Parameter', 'Default', 'Values', 'Meaning'), rows)


def allowed(rule: Rule, default: Any) -> str:
    """Return type and range of a parameter in words."""
    words = ', '.join(f'`{choice}`' for choice in rule.choices)
    if words and not isinstance(default, float):
        return words
    if isinstance(default, tuple):
        if rule.size:
            return f'{rule.size} numbers'
        return 'numbers' if rule.numbers else 'names'
    if isinstance(default, bool):
        return '`true`, `false`'
    if isinstance(default, str):
        return 'text'
    kind = 'integer' if isinstance(default, int) else 'number'
    if isinf(rule.maximum):
        return kind if isinf(rule.minimum) else f'{kind}, at least {rule.minimum:g}'
    span = f'{kind}, {number(rule.minimum)} to {number(rule.maximum)}'
    return f'{span}, or {words}' if words else span


def parameter_files() -> Iterator[tuple[Path, str]]:
    """Yield the parameter files, and their texts with the present defaults and descriptions."""
    for node, record in NODES.items():
        if record is not SenderParameters:  # which is used once, from the command line
            yield DOCS.parent / 'config' / f'{node}.yaml', parameter_file(node, record)


def parameter_file(node: str, record: Any) -> str:
    """Return the parameter file of a node, with all parameters."""
    groups: dict[str, list[str]] = {}
    for item in fields(record):
        rule = rule_of(item)
        group, _, name = rule.name.rpartition('.')
        indent = ' ' * (6 if group else 4)
        words = f'{"[fixed] " if rule.read_only else ""}{rule.description}'
        kind = allowed(rule, item.default).replace('`', '')
        if rule.choices or ' to ' in kind:
            words = f'{words} Values: {kind}.'
        comment = textwrap.fill(
            words, 99, initial_indent=f'{indent}# ', subsequent_indent=f'{indent}# '
        )
        lines = groups.setdefault(group or name, [f'    {group}:\n'] if group else [])
        lines.append(f'{comment}\n{indent}{name}: {yaml_value(rule, item.default)}\n')
    return PARAMETER_FILE.format(node=node) + ''.join(map(''.join, groups.values()))


def yaml_value(rule: Rule, default: Any) -> str:
    """Return a default in YAML; ROS reads no type from an empty list, which is one of numbers."""
    value = list(default) if isinstance(default, tuple) else default
    if value == [] and not rule.numbers:
        value = ['']
    return yaml.safe_dump(value, default_flow_style=True, width=1000).removesuffix('...\n').strip()


PARAMETER_FILE = """# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
#
# Parameters of the node {node}, all of them, with their defaults. Written by docs/generate.py.
# [fixed] cannot change while the node runs; all others can (ros2 param set).
# Units: rad | m and N m | N for revolute | prismatic joints.
/**/{node}:
  ros__parameters:
"""


def controller_parameters() -> str:
    """Return the parameters of the controller in C++, from the file that its build reads."""
    path = 'screw_dynamics_controllers/src/feedforward_controller_parameters.yaml'
    (declared,) = yaml.safe_load((DOCS.parent / path).read_text(encoding='utf-8')).values()
    feedback = {f'feedback.{name}': rule for name, rule in declared.pop('feedback').items()}
    rows = []
    for name, rule in {**declared, **feedback}.items():
        default = rule['default_value']
        default = code(tuple(default) if isinstance(default, list) else default)
        rows.append([f'`{name}`', default, prose(rule['description'])])
    return markdown(('Parameter', 'Default', 'Meaning'), rows)


def record_fields(name: str, *chosen: str) -> str:
    """Return the fields of a record that a file sets, with units and texts of its docstring."""
    record = getattr(sd if hasattr(sd, name) else sd.trajectory, name)
    described, rows = parameters_of(record), []
    for field, default in defaults(record).items():
        if not chosen or field in chosen:
            text = described[field]
            for other, entry in LIMIT_ENTRIES.items():
                text = text.replace(other, entry)
            rows.append([f'`{LIMIT_ENTRIES.get(field, field)}`', default, prose(text)])
    return markdown(('Entry', 'Default', 'Meaning'), rows)


def defaults(record: Any) -> dict[str, str]:
    """Return the defaults of the fields that the constructor takes, as cells."""
    if is_dataclass(record):
        values = {item.name: item.default for item in fields(record) if item.init}
    else:  # a NamedTuple
        values = {name: record._field_defaults.get(name, MISSING) for name in record._fields}
    special = {MISSING: 'required', None: 'none'}
    return {
        name: special[value] if value in (MISSING, None) else code(value)
        for name, value in values.items()
    }


def model_entries() -> str:
    """Return the entries of the YAML file of a model, with the texts of the records."""
    document = yaml.safe_load(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')).to_yaml())
    rows = []
    for entry in dict.fromkeys(entry_paths(document)):
        if entry not in ('format', 'version'):
            group, _, name = entry.rpartition('.')
            texts = parameters_of(sd.Frame if group == 'frames.*' else sd.ScrewModel)
            texts |= parameters_of(sd.JointLimits) if group == 'coordinates[]' else {}
            field = MODEL_FIELDS.get(entry, name)
            text = NAMED_ENTRIES.get(entry) or texts.get(field) or texts[f'{field}s']
            rows.append([f'`{entry}`', prose(text)])
    return markdown(('Entry', 'Meaning'), rows)


def segment_entries(part: str) -> str:
    """Return the entries of a file of soft segments: of the file, or of each type."""
    if part != 'types':
        entries = {
            'file': append_segments.FILE_ENTRIES,
            'segment': append_segments.SEGMENT_ENTRIES,
            'thread': texts_of(ThreadSpec),
        }[part]
        rows = [[f'`{entry}`', text] for entry, text in entries.items()]
        return markdown(('Entry', 'Meaning'), rows)
    tables = []
    for name, kind in SEGMENT_TYPES.items():
        rows = [[f'`{entry}`', text] for entry, text in texts_of(kind).items()]
        tables.append(f'#### {name}\n\n{markdown(("Entry", "Meaning"), rows)}')
    return '\n'.join(tables)


def texts_of(record: Any) -> dict[str, str]:
    """Return the texts of the entries of a record."""
    return {part.name: part.metadata['text'] for part in fields(record)}


def entry_paths(value: Any, path: str = '') -> Iterator[str]:
    """Yield the paths of the values in a document; lists of mappings end in ``[]``."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            name = '*' if path == 'frames' else key
            yield from entry_paths(entry, f'{path}.{name}' if path else name)
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        for entry in value:
            yield from entry_paths(entry, f'{path}[]')
    else:
        yield path


def parameters_of(record: type) -> dict[str, str]:
    """Return the texts of the section Parameters of a docstring, by name."""
    text = getdoc(record) or ''
    section = text.split('Parameters\n----------\n', 1)[1]
    section = re.split(r'\n\n\w[\w ]*\n-+\n', section)[0]
    texts: dict[str, str] = {}
    for part in re.split(r'^(?=\S)', section, flags=re.MULTILINE):
        head, _, body = part.partition('\n')
        names, _, kind = head.partition(' : ')
        words = ' '.join(body.split())
        for name in names.split(', ') if names else ():
            texts[name.strip()] = words or kind.split(',')[0]
    return texts


def command_options(command: str) -> str:
    """Return the arguments of a command by group."""
    rows = [[names, prose(text)] for names, text in DECLARED['command_arguments'](command)]
    return markdown(('Argument', 'Meaning'), rows)


def launch_arguments() -> str:
    """Return the arguments of all launch files, with the files that have them."""
    files = [path.name.partition('.')[0] for path in DECLARED['LAUNCH'].glob('*.launch.py')]
    having: dict[tuple[str, ...], list[str]] = {}
    for file in sorted(files):
        for entity in DECLARED['launch_arguments'](file):
            text = prose(entity.description)
            if entity.choices:
                text += f' One of {", ".join(f"`{choice}`" for choice in entity.choices)}.'
            cells = code(entity.default_value), text
            having.setdefault((f'`{entity.name}`', *cells), []).append(f'`{file}`')
    rows = [
        [name, 'all' if len(own) == len(files) else ', '.join(own), *cells]
        for (name, *cells), own in having.items()
    ]
    return markdown(('Argument', 'In', 'Default', 'Meaning'), rows)


def code(value: Any) -> str:
    """Return a default as YAML in the font of code."""
    if isinstance(value, bool):
        return f'`{str(value).lower()}`'
    if isinstance(value, str):
        return f'`{value}`' if value else 'empty'
    if isinstance(value, tuple):
        return f'`[{", ".join(str(entry) for entry in value)}]`' if value else 'empty'
    return f'`{value}`'


def number(value: float) -> str:
    """Return a bound, as short as possible."""
    text = f'{value:g}' if isinstance(value, float) else str(value)
    return re.sub(r'e([+-])0*', lambda match: f'e{match[1].strip("+")}', text)


NAME = re.compile(
    r'(?<![`\w/.<~])((?:~/|/)\w+(?:/\w+)*|[A-Za-z]\w*(?:[./]\w+)*_\w*(?:[./]\w+)*'
    r'|(?:payload|filter|feedback|header)\.\w+|package://\S*?>/<\w+>)'
)


def prose(text: str) -> str:
    """Return a text for a cell, with names of ROS and of entries in the font of code."""
    text = text.replace('``', '`')
    parts = re.split(r'(`[^`]*`)', text)
    plain = [
        part if part.startswith('`') else NAME.sub(r'`\1`', part).replace('|', r'\|')
        for part in parts
    ]
    return ''.join(plain)


if __name__ == '__main__':
    main()
