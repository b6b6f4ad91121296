"""Colours, styles and marks, in one table: the page reads it as a style sheet, a file has it written into its elements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from aspectrum.report.charts.systems import Systems

ThemeName = Literal["page", "light", "dark"]

_LIGHT = {
    "bg": "#faf9f6", "card": "#ffffff", "ink": "#1b1c20", "ink2": "#54565e", "mute": "#92959e", "grid": "#eceae5", "tint": "#f1f5fa",
    "up": "#0b62a8", "dn": "#b4530a", "k0": "#1b1c20", "k1": "#10559b", "k2": "#e26202", "k3": "#3ea364", "k4": "#cf73a6", "k5": "#653e00",
}  # fmt: skip
_DARK = {
    "bg": "#121418", "card": "#191c22", "ink": "#eceef2", "ink2": "#a6abb6", "mute": "#737a87", "grid": "#262a32", "tint": "#1c2430",
    "up": "#74b9f2", "dn": "#f2a065", "k0": "#eceef2", "k1": "#0089da", "k2": "#e04335", "k3": "#23df8e", "k4": "#b0638e", "k5": "#e3c228",
}  # fmt: skip
PALETTES: Mapping[str, Mapping[str, str]] = {"light": _LIGHT, "dark": _DARK}
"""Concrete colours by the names of the page's variables."""

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif"

_TEXT: Mapping[str, Mapping[str, str]] = {
    "": {"font-size": "11.5px", "fill": "var(--ink2)"},
    "nm": {"font-size": "13px", "fill": "var(--ink)"},
    "v": {"font-size": "13px", "fill": "var(--ink)"},
    "lb": {"font-size": "13px", "fill": "var(--lc)", "stroke": "var(--card)", "stroke-width": "3.5px", "paint-order": "stroke"},
    "at": {"font-size": "12.5px", "fill": "var(--ink)"},
    "sub": {"font-size": "11.5px", "fill": "var(--ink2)"},
    "h": {"font-size": "16px", "fill": "var(--ink)"},
    "b": {"font-weight": "600"},
    "it": {"font-style": "italic"},
}
_SHAPES: Mapping[str, Mapping[str, str]] = {
    "g": {"stroke": "var(--grid)", "fill": "none"},
    "ax": {"stroke": "var(--mute)", "fill": "none"},
    "bl": {"stroke": "var(--mute)", "stroke-dasharray": "3 3", "fill": "none"},
    "zero": {"stroke": "var(--ink)", "fill": "none"},
    "win": {"fill": "var(--tint)"},
    "front": {"fill": "none", "stroke": "var(--ink2)", "stroke-width": "1.3"},
    "arrow": {"fill": "none", "stroke": "var(--lc)", "stroke-width": "1.2", "stroke-linecap": "round", "stroke-linejoin": "round"},
    "lead": {"fill": "none", "stroke": "var(--mute)", "stroke-width": "1"},
    "mk": {"fill": "var(--c)", "stroke": "var(--card)", "stroke-width": "1.2"},
    "open": {"fill": "var(--card)", "stroke": "var(--c)", "stroke-width": "2"},
    "ci": {"stroke": "var(--c)", "stroke-width": "1.4", "fill": "none"},
    "ln": {"fill": "none", "stroke": "var(--c)", "stroke-width": "var(--w)", "stroke-linejoin": "round"},
    "base": {"stroke-dasharray": "5 3"},
    "bd": {"fill": "var(--c)", "opacity": "0.16"},
    "iv": {"stroke": "var(--sg)", "stroke-width": "2.4", "fill": "none"},
    "dt": {"fill": "var(--sg)", "stroke": "var(--card)"},
    "hollow": {"fill": "var(--card)", "stroke": "var(--sg)", "stroke-width": "1.8"},
    "w": {"fill": "var(--up)"},
    "ti": {"fill": "var(--mute)", "opacity": "0.45"},
    "l": {"fill": "var(--dn)"},
    "hs": {"fill": "var(--c)", "opacity": "0.34"},
    "iq": {"stroke": "var(--c)", "stroke-width": "3", "fill": "none"},
    "md": {"stroke": "var(--ink)", "stroke-width": "1.6", "fill": "none"},
    "clip": {"stroke": "var(--card)", "stroke-width": "1.6", "fill": "none"},
    "cat": {"fill": "var(--grid)"},
    "hist": {"stroke": "var(--ink2)", "stroke-width": "1.6", "fill": "none"},
}
_UNSEEN: Mapping[str, Mapping[str, str]] = {
    "hit": {"fill": "transparent"},
    "hitl": {"fill": "none", "stroke": "transparent", "stroke-width": "12"},
    "cur": {"stroke": "var(--ink2)", "fill": "none"},
}
"""Only for pointers and keys: files leave these out."""
_SELECTORS = {"mk": ".mk>*", "open": ".ch .open>*"}  # groups whose paths are painted, also in the keys outside charts
_ROWS: Mapping[str, str] = {"up": "var(--up)", "dn": "var(--dn)", "ns": "var(--mute)", "nd": "var(--ink)"}
"""Colours of a difference: significantly better, significantly worse, not significant, significant on a metric without a direction."""

MARKS: Mapping[int | None, str] = {
    0: "M-4.9-4.9H4.9V4.9H-4.9Z",
    1: "M-5.5 0A5.5 5.5 0 1 1 5.5 0A5.5 5.5 0 1 1-5.5 0Z",
    2: "M0-6.6L6.1 4.4H-6.1Z",
    3: "M0-7.1L7.1 0L0 7.1L-7.1 0Z",
    4: "M0 6.6L6.1-4.4H-6.1Z",
    5: "M-2.2-6.4H2.2V-2.2H6.4V2.2H2.2V6.4H-2.2V2.2H-6.4V-2.2H-2.2Z",
    None: "M-5 0A5 5 0 1 1 5 0A5 5 0 1 1-5 0Z",
}
"""The outline of a mark around (0, 0) by colour slot; 0 is the baseline, None a grey system. A script that gives a system another
slot puts this outline into the path of each of its marks."""


def unseen(classes: str) -> bool:
    """Whether an element is only there for pointers and keys."""
    return any(name in _UNSEEN for name in classes.split())


@cache
def attributes(tag: str, classes: str, theme: str, slot: int | None, row: str) -> str:
    """Presentation attributes of an element in a file: what the style sheet says, with colours instead of variables."""
    table = _TEXT if tag == "text" else _SHAPES
    style: dict[str, str] = dict(_TEXT[""]) if tag == "text" else {}
    for name in table:  # in the order of the style sheet, so that the same rule wins
        if name in classes.split():
            style |= table[name]
    palette = PALETTES[theme]
    variables = dict(palette) | _variables(slot, palette) | ({"sg": _variable(_ROWS[row], palette)} if row else {})
    return "".join(f' {key}="{_variable(value, variables).removesuffix("px")}"' for key, value in style.items())


def _variable(value: str, variables: Mapping[str, str]) -> str:
    return variables[value[6:-1]] if value.startswith("var(--") else value


def _variables(slot: int | None, palette: Mapping[str, str] | None = None) -> dict[str, str]:
    """The colour, the label's colour and the line's width of a system."""
    own = {
        "c": "var(--mute)" if slot is None else f"var(--k{slot})",
        "lc": "var(--ink2)" if slot is None else "var(--ink)",
        "w": "1" if slot is None else "1.8" if slot == 0 else "2.1",
    }
    return own if palette is None else {key: _variable(value, palette) for key, value in own.items()}


def stylesheet() -> str:
    """The charts' part of the page's style sheet. It needs the variables of `PALETTES` and the rules of `focus_style`."""
    rules = ["svg.ch{display:block;max-width:100%;height:auto;overflow:visible;margin:0 auto}", "svg.fit{width:100%}"]
    rules.append(_rule(".ch text", {"unicode-bidi": "isolate", "font-family": "inherit"} | dict(_TEXT[""])))
    rules += [_rule(f".ch .{name}", style) for name, style in _TEXT.items() if name]
    rules += [_rule(_SELECTORS.get(name, f".ch .{name}"), style) for name, style in {**_SHAPES, **_UNSEEN}.items()]
    rules += [_rule(f".row.{name}", {"--sg": colour}) for name, colour in _ROWS.items()]
    rules.append(".ch{--lc:var(--ink)}")
    rules.append(".row.ns .v{fill:var(--ink2)}.s.few{--c:var(--mute)}.pt,.row{outline-offset:1px}")
    rules.append(".row:hover>.hit,.row:focus-visible>.hit,.hit:focus-visible{fill:var(--tint)}")
    return "\n".join(rules)


def focus_style(systems: Systems) -> str:
    """The rules that put systems in colour; a script that changes the colours replaces them."""
    rules = []
    for name in systems.names:
        own = f".s{systems.index(name)}"
        slot = systems.slot(name)
        rules.append(_rule(own, {f"--{key}": value for key, value in _variables(slot).items()}))
        if slot is None:
            rules.append(f"{own} .bd,{own} .end{{display:none}}")
    return "".join(rules)


def _rule(selector: str, style: Mapping[str, str]) -> str:
    return f"{selector}{{{';'.join(f'{key}:{value}' for key, value in style.items())}}}"


def key(systems: Systems, name: str) -> str:
    """The mark of a system as a small picture, for legends and buttons of the page. An element around it has its class `s<index>`."""
    return (
        '<svg class="key" viewBox="-8 -8 16 16" width="14" height="14" aria-hidden="true">'
        f'<g class="mk"><path d="{MARKS[systems.slot(name)]}"/></g></svg>'
    )
