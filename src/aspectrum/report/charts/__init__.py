"""Charts: pure functions from a report's data to SVG.

Each module has `draw(report, data, width, theme)`, `label` (the figure's main fact in a sentence) and `rows` (its data table). The
theme "page" uses classes and CSS variables (`theme.stylesheet`, `theme.focus_style`); "light" and "dark" are files of their own.
"""
