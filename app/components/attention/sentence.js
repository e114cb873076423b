// The sentence twice: what reads on the left, what is read on the right, and a line as thick as the weight between.

const SVG = "http://www.w3.org/2000/svg";

function wordButtons(holder, labels, choosable, words) {
  const nodes = labels.map((label, at) => {
    const node = make(choosable ? "button" : "div", "gf-word"), text = make("bdi", "", label.text);
    node.append(text);
    node.dataset.at = at;
    if (label.special) node.dataset.special = "";
    if (label.padding) node.dataset.padding = "";
    node.title = `#${at} ${label.text}${label.raw ? ` · ${label.raw}` : ""}${label.padding ? ` · ${words.padding}` : ""}`;
    if (choosable) {
      node.type = "button";
      node.tabIndex = -1;
    } else {
      node.append(make("span", "gf-word-weight"));
    }
    return node;
  });
  holder.replaceChildren(...nodes);
  return nodes;
}

function makeSentence(root, onHover, onChoose) {
  const left = root.querySelector(".gf-words-query"), right = root.querySelector(".gf-words-key"), svg = root.querySelector(".gf-lines");
  const scroller = root.querySelector(".gf-sentence"), inner = root.querySelector(".gf-sentence-inner");
  let queryNodes = [], keyNodes = [], paths = [], row = 26, shownQuery = -1, chosenQuery = -1;
  const indexOf = (event) => {
    const node = event.target.closest(".gf-word");
    return node ? Number(node.dataset.at) : null;
  };
  left.addEventListener("pointerover", (event) => { const at = indexOf(event); if (at !== null) onHover(at); });
  left.addEventListener("pointerleave", () => onHover(null));
  left.addEventListener("click", (event) => { const at = indexOf(event); if (at !== null) onChoose(at); });
  left.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = Math.min(queryNodes.length - 1, Math.max(0, chosenQuery + by));
    onChoose(next);
    queryNodes[next].focus({ preventScroll: true });
  });
  return {
    fill(queries, keys, words) {
      row = Math.max(queries.length, keys.length) > 17 ? 23 : 26;
      inner.style.setProperty("--row", `${row}px`);
      queryNodes = wordButtons(left, queries, true, words);
      keyNodes = wordButtons(right, keys, false, words);
      svg.style.height = `${row * Math.max(queries.length, keys.length)}px`;
      svg.replaceChildren();
      paths = [];
      shownQuery = chosenQuery = -1;
    },
    // shown: the query whose lines are drawn; chosen: the one that stays
    // follow: scroll to what is shown (not while the pointer is in here)
    draw(map, shown, chosen, kind, palette, follow) {
      const width = svg.clientWidth || 80, y = (at) => row * (at + 0.5);
      const lines = [];
      if (map) for (let k = 0; k < map.cols; k += 1) {
        const at = shown * map.cols + k;
        if (map.allowed[at]) lines.push({ k, value: map.values[at], share: map.values[at] });
      }
      if (kind === "scores") { // a score says nothing by its size: what counts is where it stands in its row
        const values = lines.map((line) => line.value), low = Math.min(...values), high = Math.max(...values);
        for (const line of lines) line.share = high > low ? (line.value - low) / (high - low) : 1;
      }
      const strong = lines.filter((line) => line.share > 0.004).sort((a, b) => b.share - a.share).slice(0, 48);
      while (paths.length < strong.length) {
        const path = document.createElementNS(SVG, "path");
        paths.push(path);
        svg.append(path);
      }
      paths.forEach((path, at) => {
        const line = strong[at];
        path.style.display = line ? "" : "none";
        if (!line) return;
        path.setAttribute("d", `M0 ${y(shown)}C${width * 0.5} ${y(shown)} ${width * 0.5} ${y(line.k)} ${width} ${y(line.k)}`);
        path.style.strokeWidth = (0.8 + 8 * line.share).toFixed(2);
        path.style.strokeOpacity = Math.min(1, 0.18 + 0.82 * line.share).toFixed(3);
        path.style.stroke = kind === "scores" && line.value < 0 ? css(palette.scores[50]) : kind === "scores" ? css(palette.scores[200]) : "";
      });
      const bold = new Set(strong.slice(0, 5).filter((line) => line.share >= 0.05).map((line) => line.k));
      for (let k = 0; k < keyNodes.length; k += 1) {
        const at = shown * (map ? map.cols : 0) + k, on = map && map.allowed[at], value = on ? map.values[at] : 0;
        const node = keyNodes[k], share = on ? (kind === "scores" ? 0 : Math.min(1, Math.max(0, value))) : 0;
        node.style.background = share > 0.01 ? `color-mix(in oklab, var(--gf-accent) ${(share * 38).toFixed(0)}%, transparent)` : "";
        node.style.opacity = map && !on ? 0.4 : "";
        node.lastChild.textContent = bold.has(k) ? value.toFixed(2) : "";
      }
      if (shown !== shownQuery || chosen !== chosenQuery) {
        queryNodes.forEach((node, at) => {
          node.toggleAttribute("data-chosen", at === chosen);
          node.toggleAttribute("data-preview", at === shown);
          node.tabIndex = at === chosen ? 0 : -1;
          if (at === chosen) node.setAttribute("aria-pressed", "true"); else node.removeAttribute("aria-pressed");
        });
        if (follow) {
          const at = y(shown), from = scroller.scrollTop, to = from + scroller.clientHeight;
          if (at < from + row || at > to - row) scroller.scrollTop = at - scroller.clientHeight / 2;
        }
        shownQuery = shown;
        chosenQuery = chosen;
      }
    },
  };
}
