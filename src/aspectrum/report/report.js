"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const data = JSON.parse(one("#data").textContent);
  const tip = one("#tip");
  const live = one("#live");

  // Tooltips: lines of text, by pointer or by focus. A described element has the tooltip read out.

  let described = null;
  let crossHair = null;
  const hide = () => {
    tip.classList.remove("on");
    if (crossHair) crossHair.style.display = "none";
    described?.removeAttribute("aria-describedby");
    described = null;
  };
  const place = (x, y) => {
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
    tip.style.top = Math.max(8, y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18) + "px";
    tip.classList.add("on");
  };
  const line = (tag, ...texts) => {
    const element = document.createElement(tag);
    if (texts.length === 1) element.textContent = texts[0];
    else {
      element.className = "r";
      element.append(...texts.map((text) => line("span", text)));
    }
    return element;
  };
  const show = (text, x, y) => {
    tip.replaceChildren(...text.split("\n").map((row, at) => line(at ? "div" : "b", row)));
    place(x, y);
  };
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + Math.min(box.width / 2, 200), box.top + Math.min(box.height, 40) / 2];
  };
  addEventListener("pointermove", (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (target) show(target.dataset.tip, event.clientX, event.clientY);
    else if (!event.target.closest?.(".curve")) hide();
  });
  addEventListener("focusin", (event) => {
    hide();
    const target = event.target.closest("[data-tip]");
    if (!target || !target.matches(":focus-visible")) return;
    show(target.dataset.tip, ...middle(target));
    if (target === event.target && !target.hasAttribute("aria-label")) {
      described = target;
      target.setAttribute("aria-describedby", "tip");
    }
  });
  addEventListener("focusout", hide);
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", () => !document.activeElement?.matches(".curve:focus-visible,[data-tip]:focus-visible") && hide(), { passive: true });

  // Systems in colour: the baseline has slot 0, five others have one each, and keep it until it is taken from them.

  const slots = [data.baseline, ...Array.from({ length: 5 }, (_, at) => data.focus[at] ?? null)];
  const slotOf = (system) => {
    const slot = slots.indexOf(system);
    return slot < 0 ? null : slot;
  };
  let taken = data.focus.slice(); // oldest first
  const outline = (root) =>
    data.systems.forEach((_, system) => {
      const slot = slotOf(system);
      const mark = data.marks[slot ?? 6];
      all(`.s${system} .mk path`, root).forEach((path) => path.setAttribute("d", mark));
    });
  const paint = () => {
    one("#focus").textContent = data.systems
      .map((_, system) => {
        const slot = slotOf(system);
        if (slot === null) return `.s${system}{--c:var(--mute);--lc:var(--ink2);--w:1}.s${system} .bd,.s${system} .end{display:none}`;
        return `.s${system}{--c:var(--k${slot});--lc:var(--ink);--w:${slot ? 2.1 : 1.8}}`;
      })
      .join("");
    outline(document);
    all(".lk .s").forEach((key) => key.classList.toggle("off", slotOf(+key.dataset.system) === null));
    all(".lk .rest").forEach((rest) => (rest.hidden = data.systems.every((_, system) => slotOf(system) !== null)));
    all(".systems button").forEach((button) => button.setAttribute("aria-pressed", slotOf(+button.dataset.system) !== null));
  };
  const toggle = (system) => {
    if (system === data.baseline) return;
    const slot = slotOf(system);
    if (slot !== null) {
      slots[slot] = null;
      taken = taken.filter((other) => other !== system);
    } else {
      let free = slots.indexOf(null, 1);
      if (free < 0) free = slots.indexOf(taken.shift());
      slots[free] = system;
      taken.push(system);
    }
    paint();
  };
  all(".systems button").forEach((button) => (button.onclick = () => toggle(+button.dataset.system)));

  // Pickers: one drawing is in the page, the others wait.

  all("select.pick").forEach((select) => {
    const shown = one(`.var[data-figure="${select.dataset.for}"]`);
    const drawings = [[...shown.childNodes]];
    all(`template[data-figure="${select.dataset.for}"]`).forEach((template) => drawings.push([...template.content.childNodes]));
    select.onchange = () => {
      const open = one("details", shown)?.open;
      shown.replaceChildren(...drawings[select.value]);
      if (open !== undefined) one("details", shown).open = open;
      outline(shown);
    };
  });

  // The table: sorting, differences, cells by arrow keys, copying.

  const table = one("#sum");
  const body = table.tBodies[0];
  const card = one("#scores");
  const showsDifferences = () => card.classList.contains("delta");
  const sorted = (button, descending) => {
    const column = +button.dataset.column;
    const value = (row) => {
      const cell = row.cells[column + 1];
      const text = showsDifferences() ? cell.dataset.d || (+row.dataset.system === data.baseline ? "0" : "") : cell.dataset.v;
      return text === "" ? null : +text;
    };
    const compare = (first, second) => {
      if (column < 0) return (descending ? -1 : 1) * data.systems[first.dataset.system].localeCompare(data.systems[second.dataset.system]);
      const [a, b] = [value(first), value(second)];
      if (a === null || b === null) return (a === null) - (b === null);
      return descending ? b - a : a - b;
    };
    all("th", table.tHead).forEach((head) => head.removeAttribute("aria-sort"));
    button.parentNode.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...[...body.rows].sort(compare));
  };
  all("thead button", table).forEach((button) => {
    button.onclick = () => {
      const before = button.parentNode.getAttribute("aria-sort");
      const first = +button.dataset.column >= 0 && !button.dataset.low;
      sorted(button, before ? before === "ascending" : first);
    };
  });
  all("#mode button").forEach((button) => {
    button.onclick = () => {
      card.classList.toggle("delta", button.dataset.mode === "differences");
      all("#mode button").forEach((other) => other.setAttribute("aria-pressed", other === button));
      const head = one("th[aria-sort]", table);
      if (head) sorted(one("button", head), head.getAttribute("aria-sort") === "descending");
    };
  });
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const first = one("td[data-tip]", body);
  if (first) first.tabIndex = 0;
  body.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    const step = steps[event.key];
    if (!cell || !step) return;
    event.preventDefault();
    const rows = [...body.rows];
    const next = rows[rows.indexOf(cell.parentNode) + step[0]]?.cells[cell.cellIndex + step[1]];
    if (next?.tagName !== "TD") return;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\textquotedbl{}", "α": "$\\alpha$", "β": "$\\beta$", "−": "$-$", "…": "\\ldots{}" };
  const latex = (text) => text.replace(/\s+/g, " ").replace(/[\\~^<>|"αβ−…]|[&%$#_{}]/g, (sign) => special[sign] ?? "\\" + sign);
  const markdown = (text) => text.replace(/\s+/g, " ").replace(/[\\`*_|<>[\]]/g, "\\$&");
  const quoted = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  const rows = () =>
    [...body.rows].map((row) => ({
      system: data.systems[+row.dataset.system],
      cells: all("td", row).map((cell) => ({
        exact: showsDifferences() ? cell.dataset.d : cell.dataset.v,
        text: one(showsDifferences() ? ".dv" : ".sv", cell).firstChild?.nodeValue ?? "",
        best: cell.classList.contains("best"),
        second: cell.classList.contains("second"),
        mark: one("b", cell)?.textContent ?? "",
      })),
    }));
  const heads = () => data.keys.map((name) => (showsDifferences() ? "Δ " : "") + name);
  const legend = () => (data.legend ? "\n% bold: best, underlined: second, triangles: against " + latex(data.systems[data.baseline] ?? "") + ". " + latex(data.legend) : "");
  const copies = {
    latex: () => {
      const marks = { "▲": "$^{\\blacktriangle}$", "▼": "$^{\\blacktriangledown}$" };
      const cell = ({ text, best, second, mark }) => (best ? `\\textbf{${latex(text)}}` : second ? `\\underline{${latex(text)}}` : latex(text)) + (marks[mark] ?? "");
      const row = (cells) => cells.join(" & ") + " \\\\\n";
      return (
        `% needs booktabs and amssymb${legend()}\n\\begin{tabular}{l${"r".repeat(data.metrics.length)}}\n\\toprule\n` +
        row(["System", ...data.metrics.map((name, at) => (showsDifferences() ? "$\\Delta$ " : "") + (data.latex[at] || latex(name)))]) + "\\midrule\n" +
        rows().map(({ system, cells }) => row([latex(system), ...cells.map(cell)])).join("") + "\\bottomrule\n\\end{tabular}\n"
      );
    },
    markdown: () => {
      const cell = ({ text, best, mark }) => (best ? `**${text}**` : text) + (mark && " " + mark);
      const row = (cells) => `| ${cells.join(" | ")} |\n`;
      return (
        row(["System", ...heads().map(markdown)]) + "|---|" + "---:|".repeat(data.metrics.length) + "\n" +
        rows().map(({ system, cells }) => row([markdown(system), ...cells.map(cell)])).join("")
      );
    },
    csv: () => [["system", ...heads()], ...rows().map(({ system, cells }) => [system, ...cells.map((cell) => cell.exact)])].map((row) => row.map(quoted).join(",") + "\n").join(""),
  };
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea"); // browsers give no clipboard to some files opened from disk
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  const copyOnClick = (button, text, said) => {
    const name = button.textContent;
    button.onclick = async () => {
      await copied(text());
      button.textContent = "Copied";
      live.textContent = said;
      setTimeout(() => (button.textContent = name), 1200);
    };
  };
  all("[data-copy]").forEach((button) => copyOnClick(button, copies[button.dataset.copy], "Table copied"));
  all("[data-tex]").forEach((button) => copyOnClick(button, () => button.dataset.tex, "Formula copied"));

  // Cutoff panels: a cross-hair that follows the pointer or the arrow keys.

  all("svg.curve").forEach((panel) => {
    const curve = JSON.parse(panel.dataset.curve);
    const hair = one(".cur", panel);
    const width = panel.viewBox.baseVal.width;
    const last = curve.cutoffs.length - 1;
    const number = (value) => (value * curve.factor).toFixed(curve.digits).replace("-", "−");
    let at = last;
    const read = (next, x, y) => {
      at = next;
      hair.setAttribute("d", `M${curve.x[at]} ${curve.top}V${curve.foot}`);
      if (crossHair && crossHair !== hair) crossHair.style.display = "none";
      crossHair = hair;
      hair.style.display = "inline";
      const found = curve.values
        .map((values, system) => [data.short[system], values?.[at] ?? null, system])
        .filter(([, value, system]) => value !== null && slotOf(system) !== null)
        .sort((first, second) => second[1] - first[1])
        .map(([name, value]) => [name, number(value)]);
      const head = `${curve.metric}@${curve.cutoffs[at] > 0 ? curve.cutoffs[at] : "all"}` + (found.length ? "" : " is undefined");
      tip.replaceChildren(line("b", head), ...found.map((texts) => line("div", ...texts)));
      place(x, y);
      return `${head}${found.length ? ": " : ""}${found.map((texts) => texts.join(" ")).join(", ")}`;
    };
    const byKey = () => {
      const box = panel.getBoundingClientRect();
      live.textContent = read(at, box.left + (curve.x[at] / width) * box.width, box.top + box.height / 3);
    };
    const nearest = (x) => curve.x.reduce((best, place, index) => (Math.abs(place - x) < Math.abs(curve.x[best] - x) ? index : best), 0);
    panel.addEventListener("pointermove", (event) => {
      const box = panel.getBoundingClientRect();
      read(nearest(((event.clientX - box.left) / box.width) * width), event.clientX, event.clientY);
    });
    panel.addEventListener("focus", () => panel.matches(":focus-visible") && byKey());
    panel.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      at = Math.max(0, Math.min(last, at + step));
      byKey();
    });
    panel.addEventListener("pointerleave", hide);
    panel.addEventListener("blur", hide);
  });
  all(".grid").forEach((grid) => {
    const more = grid.nextElementSibling;
    if (!more?.matches(".more")) return;
    grid.classList.add("few");
    more.onclick = () => {
      grid.classList.remove("few");
      one("svg", grid.children[4])?.focus();
    };
  });

  // Tabs of the lists.

  const tabs = all("[role=tab]");
  const choose = (chosen) =>
    tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", at === chosen);
      tab.tabIndex = at === chosen ? 0 : -1;
      one("#" + tab.getAttribute("aria-controls")).hidden = at !== chosen;
    });
  tabs.forEach((tab, at) => {
    tab.onclick = () => choose(at);
    tab.onkeydown = (event) => {
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      choose((next + tabs.length) % tabs.length);
      tabs[(next + tabs.length) % tabs.length].focus();
    };
  });

  // Downloads: title, legend and what is visible of a figure, with colours instead of variables.

  const SVG = "http://www.w3.org/2000/svg";
  const styles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity", "font-family", "font-size", "font-style", "font-weight", "paint-order"];
  const drawn = (tag, attributes, text) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const flat = (svg, x, y, width, height) => {
    const copy = svg.cloneNode(true);
    const originals = [svg, ...all("*", svg)];
    [copy, ...all("*", copy)].forEach((element, at) => {
      const style = getComputedStyle(originals[at]);
      if (style.display === "none") return element.remove();
      for (const name of styles) element.setAttribute(name, style.getPropertyValue(name));
      for (const { name } of [...element.attributes]) if (/^(class|style|tabindex|role|aria-|data-)/.test(name)) element.removeAttribute(name);
    });
    for (const [name, value] of Object.entries({ x, y, width, height })) copy.setAttribute(name, value);
    return copy;
  };
  const sheet = (figure) => {
    const visible = (element) => element.getClientRects().length > 0;
    const charts = all("svg.ch", figure).filter(visible).map((svg) => ({ svg, box: svg.viewBox.baseVal, name: svg.closest(".panel")?.querySelector("b").textContent }));
    const style = getComputedStyle(document.documentElement);
    const [ink, paper, font] = [style.getPropertyValue("--ink"), style.getPropertyValue("--card"), getComputedStyle(document.body).fontFamily];
    const text = (x, y, size, weight, words) => drawn("text", { x, y, fill: ink, "font-family": font, "font-size": size, "font-weight": weight }, words);
    const gap = 16;
    const columns = Math.min(4, charts.length);
    const [cellWidth, cellHeight] = [Math.max(...charts.map(({ box }) => box.width)), Math.max(...charts.map(({ box }) => box.height))];
    const named = charts.some(({ name }) => name) ? 22 : 0;
    const width = columns * (cellWidth + gap) + gap;
    const picked = one("select.pick", figure)?.selectedOptions[0].textContent ?? one("h3 span+span", figure)?.textContent ?? "";
    const parts = [text(gap, 30, 16, 600, `${one("h3 span", figure).textContent} ${picked}`.trim())];
    let top = 42;
    let left = gap;
    for (const entry of all(".lk .s", figure).filter(visible)) {
      const key = one("svg", entry);
      const wide = one("bdi", entry).getBoundingClientRect().width + 36;
      if (left > gap && left + wide > width) [left, top] = [gap, top + 22];
      parts.push(flat(key, left, top, 14, 14), text(left + 19, top + 11.5, 12.5, 400, one("bdi", entry).textContent));
      left += wide;
    }
    top += left > gap ? 30 : 6;
    charts.forEach(({ svg, box, name }, at) => {
      const [x, y] = [gap + (at % columns) * (cellWidth + gap), top + Math.floor(at / columns) * (cellHeight + named + gap)];
      if (name) parts.push(text(x, y + 14, 13, 600, name));
      parts.push(flat(svg, x, y + named, box.width, box.height));
    });
    const height = top + Math.ceil(charts.length / columns) * (cellHeight + named + gap);
    const whole = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
    whole.append(drawn("rect", { width, height, fill: paper }), ...parts);
    return { width, height, source: new XMLSerializer().serializeToString(whole) };
  };
  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 3000);
  };
  all("[data-format]").forEach((button) => {
    button.onclick = () => {
      const figure = button.closest(".fig");
      const { width, height, source } = sheet(figure);
      const name = `aspectrum-${figure.id}.${button.dataset.format}`;
      if (button.dataset.format === "svg") return save(new Blob([source], { type: "image/svg+xml" }), name);
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [width * 3, height * 3];
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((blob) => save(blob, name));
      };
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(source);
    };
  });

  // Theme, and paper.

  const themes = ["auto", "dark", "light"];
  let theme = 0;
  one("#theme").onclick = ({ target }) => {
    theme = (theme + 1) % themes.length;
    if (theme) document.documentElement.dataset.theme = themes[theme];
    else delete document.documentElement.dataset.theme;
    target.textContent = `Theme: ${themes[theme]}`;
  };
  addEventListener("beforeprint", () => all(".how details").forEach((details) => (details.open = true)));
})();
