# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`load_yaml`: YAML documents in which no entry stands twice."""

from __future__ import annotations

from functools import cache
from typing import Any

from screw_dynamics.errors import InputError


def load_yaml(content: str | bytes) -> Any:
    """
    Return what a YAML document holds.

    Parameters
    ----------
    content : str or bytes

    Returns
    -------
    object

    Raises
    ------
    InputError
        If it is no YAML, or a mapping has an entry twice; the line is named.

    Examples
    --------
    >>> load_yaml('{points: [1, 2.5]}')
    {'points': [1, 2.5]}

    """
    import yaml  # only here: the package is to be imported quickly

    # libyaml's loader, where PyYAML was built with it, is some ten times as fast
    base = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
    try:
        return yaml.load(content, Loader=_strict(base))
    except (yaml.YAMLError, UnicodeError) as error:
        raise InputError(f'expected YAML: {" ".join(str(error).split())}') from None


@cache
def _strict(base: Any) -> Any:
    """Return a loader that refuses mappings with an entry twice; PyYAML takes the last one."""
    import yaml

    def construct_mapping(loader: Any, node: Any, deep: bool = False) -> Any:
        lines: dict[Any, int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            # what `<<` merges may be replaced
            if isinstance(key, yaml.ScalarNode) and key.value not in ('<<', '='):
                name, line = loader.construct_object(key), key.start_mark.line + 1
                if name in lines:
                    raise InputError(
                        f'line {line}: expected every entry once, got {name!r} again '
                        f'after line {lines[name]}'
                    )
                lines[name] = line
        return base.construct_mapping(loader, node, deep)

    return type('Loader', (base,), {'construct_mapping': construct_mapping})
