"""The report: content, charts and page."""
