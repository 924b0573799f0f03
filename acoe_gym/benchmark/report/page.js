"use strict";
// The list of episodes and the view of one episode. Every text is set through textContent; no score is computed.
(() => {
  const PAGE = 100;
  const LONG = 220; // characters of a reply that are shown at once
  const FEW = 8; // readings that are shown at once
  const RUN = 0, TASK = 1, TRIAL = 2, OUTCOME = 3, TURNS = 4, CALLS = 5, TOKENS = 6, BROKEN = 7, MISSED = 8,
    CUT_OFF = 9, FAILED = 10;
  const KINDS = { get_system: "read", list_systems: "read", set_system: "set", submit: "submit" };
  const SIGNS = { read: "\u25c9", set: "\u25b6", ask: "?", submit: "\u25a0" };

  const at = (id) => document.getElementById(id);
  const index = JSON.parse(at("index").textContent);
  const outcomeNames = Object.keys(index.outcomes);
  const modeNames = Object.keys(index.modes);
  const thing = (number) => index.things[number || 0];
  const templateOf = (task) => task.slice(0, task.lastIndexOf("/"));
  const order = new Map(index.tasks.map((task, place) => [task, place]));

  // Elements.

  function el(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
      else made.setAttribute(key, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined) made.append(child); // a string becomes a text node
    }
    return made;
  }

  function badge(outcome) {
    const [symbol, words] = index.outcomes[outcome];
    return el("span", { class: `badge ${outcome}` }, el("span", { "aria-hidden": "true" }, symbol), ` ${words}`);
  }

  function breakable(id) {
    return id.split(/(?<=_)/).map((part) => [el("wbr"), part]);
  }

  function counted(number, word) {
    return `${number} ${word}${number === 1 ? "" : "s"}`;
  }

  function shown(value) {
    if (value === null || value === undefined) return "dark";
    if (Array.isArray(value)) return value.length ? value.join(", ") : "nothing";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  // Blobs: compressed JSON, unpacked when first asked for.

  const blobs = new Map();
  function blob(id) {
    if (!blobs.has(id)) blobs.set(id, unpack(at(id).textContent));
    return blobs.get(id);
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  // The list.

  const haystacks = index.episodes.map((row) => {
    const failed = thing(row[FAILED]);
    const words = [index.tasks[row[TASK]], ...index.runs[row[RUN]].slice(0, 2), index.outcomes[outcomeNames[row[OUTCOME]]][1],
      ...(thing(row[BROKEN]) || []), ...(thing(row[MISSED]) || []),
      failed ? `${index.modes[modeNames[failed[0]]]} ${failed[1]}` : ""];
    return words.join(" ").toLowerCase();
  });
  const sorted = index.episodes.map((_, i) => i).sort((a, b) => {
    const x = index.episodes[a], y = index.episodes[b];
    return x[RUN] - y[RUN] || x[TASK] - y[TASK] || x[TRIAL] - y[TRIAL];
  });
  let found = sorted;
  let marked = 0;
  let listed = PAGE;

  function options(select, all, values) {
    select.append(el("option", { value: "" }, all), ...values.map(([value, text]) => el("option", { value }, text)));
  }

  function fillFilters() {
    options(at("by-run"), "all", index.runs.map(([name, manner], i) => [i, manner ? `${name} \u00b7 ${manner}` : name]));
    options(at("by-outcome"), "all", outcomeNames.map((name, i) => [i, index.outcomes[name].join(" ")]));
    const templates = [...new Set(index.tasks.map(templateOf))].sort();
    options(at("by-template"), "all", templates.map((name) => [name, name]));
    options(at("by-mode"), "all", modeNames.map((name, i) => [i, index.modes[name]]));
  }

  function filter() {
    const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const run = at("by-run").value, outcome = at("by-outcome").value;
    const template = at("by-template").value, mode = at("by-mode").value;
    found = sorted.filter((i) => {
      const row = index.episodes[i];
      const failed = thing(row[FAILED]);
      return (run === "" || row[RUN] === Number(run)) && (outcome === "" || row[OUTCOME] === Number(outcome))
        && (template === "" || templateOf(index.tasks[row[TASK]]) === template)
        && (mode === "" || (failed !== null && failed[0] === Number(mode)))
        && words.every((word) => haystacks[i].includes(word));
    });
    marked = 0;
    listed = PAGE;
    list();
  }

  function list() {
    at("list").replaceChildren(...found.slice(0, listed).map(listRow));
    at("more").hidden = found.length <= listed;
    const total = index.episodes.length;
    at("count").textContent = `${found.length} of ${counted(total, "episode")}` + (found.length > listed ? `, the first ${listed} listed` : "");
    mark(marked, false);
  }

  function listRow(i, place) {
    const row = index.episodes[i];
    const task = index.tasks[row[TASK]];
    const link = el("a", { href: address(row) }, el("small", {}, templateOf(task)), task.slice(task.lastIndexOf("/") + 1));
    return el("tr", { "data-place": place },
      el("td", {}, badge(outcomeNames[row[OUTCOME]])), el("th", { scope: "row" }, link),
      cell("Trial", row[TRIAL]), el("td", {}, runName(row)), cell("Turns", row[TURNS]), cell("Calls", row[CALLS]),
      cell("Tokens", row[TOKENS] === null ? "\u2013" : row[TOKENS].toLocaleString("en")),
      el("td", { class: "why" }, wrong(row)));
  }

  function cell(label, value) {
    return el("td", { class: "num", "data-label": label }, String(value));
  }

  function runName(row) {
    const [name, manner, marks] = index.runs[row[RUN]];
    return [name, manner ? [" ", el("small", {}, manner)] : null, marks.map((mark) => [" ", el("span", { class: "mark" }, mark)])];
  }

  function wrong(row) {
    const failed = thing(row[FAILED]);
    const broken = [...new Set(thing(row[BROKEN]) || [])];
    return [
      broken.length ? el("span", { class: "broke" }, `\u25b2 ${broken.join(", ")}`) : null,
      failed ? el("span", {}, `${index.modes[modeNames[failed[0]]]}: ${failed[1]}`) : null,
      row[CUT_OFF] ? el("span", {}, "Not submitted.") : null,
    ];
  }

  function mark(place, scroll) {
    const rows = at("list").children;
    for (const row of rows) row.removeAttribute("aria-current");
    marked = Math.max(0, Math.min(place, found.length - 1));
    if (marked >= listed) { listed = marked + PAGE; list(); return; }
    if (!rows.length || !scroll) return;
    rows[marked].setAttribute("aria-current", "true");
    rows[marked].querySelector("a").focus({ preventScroll: true });
    rows[marked].scrollIntoView({ block: "nearest" });
  }

  // Addresses: #/run, #/run/task/trial.

  function address(row) {
    const task = index.tasks[row[TASK]].split("/").map(encodeURIComponent).join("/");
    return `#/${encodeURIComponent(index.runs[row[RUN]][0])}/${task}/${row[TRIAL]}`;
  }

  function decoded(text) {
    try { return decodeURIComponent(text); } catch { return text; }
  }

  function wanted() {
    const parts = location.hash.slice(2).split("/").map(decoded);
    const run = index.runs.findIndex(([name]) => name === parts[0]);
    if (parts.length < 3) return { run, episode: -1 };
    const task = order.get(parts.slice(1, -1).join("/"));
    const trial = Number(parts[parts.length - 1]);
    const episode = index.episodes.findIndex((r) => r[RUN] === run && r[TASK] === task && r[TRIAL] === trial);
    return { run, episode };
  }

  let before = 0; // where the report was scrolled to when an episode was opened
  let open = -1;

  async function route() {
    const inside = location.hash.startsWith("#/");
    const { run, episode } = inside ? wanted() : { run: -1, episode: -1 };
    if (episode >= 0) {
      if (open < 0) before = scrollY;
      await show(episode);
      return;
    }
    const was = open;
    open = -1;
    at("episode").hidden = true;
    document.body.classList.remove("inside");
    at("report").hidden = false;
    document.title = title;
    if (run >= 0) {
      at("by-run").value = String(run);
      filter();
      at("episodes").scrollIntoView();
      at("episodes-title").focus();
    } else if (was >= 0) {
      if (before) scrollTo({ top: before, behavior: "instant" });
      else at("episodes").scrollIntoView();
      const place = found.indexOf(was);
      if (place >= 0 && place < listed) mark(place, true);
    }
  }

  function step(by) {
    if (open < 0) { mark(at("list").querySelector("[aria-current]") ? marked + by : 0, true); return; }
    const place = found.indexOf(open);
    const next = place < 0 ? 0 : place + by;
    if (next >= 0 && next < found.length) location.hash = address(index.episodes[found[next]]);
  }

  // One episode.

  const title = document.title;

  async function show(number) {
    open = number;
    const row = index.episodes[number];
    const key = `${index.tasks[row[TASK]]}/${row[TRIAL]}`;
    const [lexicon, run, text] = await Promise.all([blob("lexicon"), blob(`run-${row[RUN]}`), blob(`text-${row[RUN]}`)]);
    if (open !== number) return; // another one was asked for meanwhile
    const trace = run.episodes[key];
    const view = {
      row, trace, things: run.things, lexicon, task: lexicon.tasks[index.tasks[row[TASK]]],
      said: (text.episodes[key] || []).map((line) => line.map((n) => text.things[n])), calls: [],
    };
    const box = at("episode");
    box.replaceChildren(head(view), ...body(view).filter(Boolean));
    box.hidden = false;
    document.body.classList.add("inside");
    at("report").hidden = true;
    document.title = `${key} - ${index.runs[row[RUN]][0]}`;
    scrollTo({ top: 0, behavior: "instant" });
    at("episode-title").focus({ preventScroll: true });
  }

  function head(view) {
    const { row } = view;
    const place = found.indexOf(open);
    const task = index.tasks[row[TASK]];
    const link = (by, text, label) => {
      const next = place < 0 ? undefined : found[place + by];
      return next === undefined ? el("span", { class: "button off" }, text)
        : el("a", { class: "button", href: address(index.episodes[next]), "aria-label": label }, text);
    };
    const where = place < 0 ? "" : `${place + 1} of ${found.length}`;
    return el("header", { class: "head" },
      el("nav", { class: "steps", "aria-label": "Episodes" },
        el("a", { class: "button", href: "#episodes" }, "\u2190 Report"), link(-1, "Previous", "Previous episode"),
        link(1, "Next", "Next episode"), el("span", { class: "said" }, where)),
      el("h2", { id: "episode-title", tabindex: "-1" }, el("small", {}, templateOf(task)), task.slice(task.lastIndexOf("/") + 1)),
      el("p", { class: "facts" }, badge(outcomeNames[row[OUTCOME]]), el("span", {}, "Run ", el("b", {}, runName(row))),
        el("span", {}, `Trial ${row[TRIAL]}`), el("span", {}, `${counted(row[TURNS], "turn")}, ${counted(row[CALLS], "call")}`),
        row[TOKENS] === null ? null : el("span", {}, `${row[TOKENS].toLocaleString("en")} tokens`),
        el("span", {}, row[CUT_OFF] ? "Used up its turns without submitting" : "Submitted")));
  }

  function body(view) {
    if (view.trace.stale) {
      const why = { version: "This episode was recorded with another version of its task",
        unknown: "The task of this episode was not known when this page was made (acoe report --specs FOLDER makes tasks of one's own known)" };
      const words = `${why[view.trace.stale]}, so it cannot be played again here: only its calls and what they violated are shown.`;
      return [el("p", { class: "notes" }, words), failure(view), el("div", { class: "flight" }, timeline(view))];
    }
    const flight = timeline(view);
    return [
      el("blockquote", { class: "briefing" }, el("p", {}, view.task.briefing), el("cite", {}, "The captain")),
      failure(view),
      el("div", { class: "sums" }, goals(view), violations(view)),
      strip(view),
      el("div", { class: "flight" }, flight, panel(view)),
    ];
  }

  function failure(view) {
    const failed = thing(view.row[FAILED]);
    if (!failed) return null;
    const links = failed[2].map(([turn, call]) => [" ", el("a", { href: "#", on: { click: (e) => { e.preventDefault(); jump(`c-${turn}-${call}`); } } }, `${turn}.${call}`)]);
    return el("p", { class: "mode" }, el("b", {}, index.modes[modeNames[failed[0]]]), ": ", failed[1], links.length ? el("span", { class: "said" }, " See call", links) : null);
  }

  function facts(view, names) {
    return el("ul", { class: "facts-list" }, names.map((name) => {
      const [statement, source] = view.lexicon.facts[name];
      return el("li", {}, statement, " ", el("small", {}, `${name}, ${source}`));
    }));
  }

  // What the facts behind a goal or a constraint say, for who does not know it by its id.
  function meaning(view, names) {
    const statements = new Set(names.map((name) => view.lexicon.facts[name][0]));
    return el("span", { class: "meaning" }, [...statements].join(" "));
  }

  function goals(view) {
    const missed = new Set(thing(view.row[MISSED]) || []);
    const start = new Set(view.trace.met);
    const items = Object.entries(view.task.goals).map(([id, [primary, words, cited]]) => {
      const met = !missed.has(id);
      return el("li", { class: met ? "met" : "missed" }, el("details", {},
        el("summary", {}, el("span", { class: "sign" }, met ? "\u2713 met" : "\u2717 missed"), ` ${id}`, primary ? el("small", {}, "primary") : null, start.has(id) ? el("small", {}, "met at the start") : null, meaning(view, cited)),
        el("p", {}, `True at the end: ${words}`), facts(view, cited)));
    });
    return el("section", { "aria-label": "Goals" }, el("h3", {}, "Goals at the end"), el("ul", { class: "goals" }, items));
  }

  function violations(view) {
    const hits = new Map();
    for (const call of view.calls) for (const name of call.broken) hits.set(name, [...(hits.get(name) || []), call]);
    const items = [...hits].map(([name, calls]) => el("li", {}, el("b", {}, `\u25b2 ${name}`), meaning(view, view.task.constraints[name][1]), forbidden(view, name),
      el("ul", {}, calls.map((call) => el("li", {}, el("button", { type: "button", class: "link", on: { click: () => jump(call.id) } }, `Call ${call.turn}.${call.number}`), ` ${call.words}`)))));
    return el("section", { "aria-label": "Violations" }, el("h3", {}, items.length ? "Violations" : "No violation"),
      items.length ? el("ul", { class: "hits" }, items) : el("p", { class: "said" }, "No call broke a hard safety constraint."));
  }

  function forbidden(view, name) {
    return el("span", { class: "meaning" }, el("b", {}, "Forbidden: "), view.task.constraints[name][0].join("; or "));
  }

  // Turn by turn.

  function timeline(view) {
    const turns = view.trace.turns.map((calls, i) => turn(view, calls, i + 1));
    return el("ol", { class: "turns", "aria-label": "Turns" }, turns);
  }

  function turn(view, calls, number) {
    const [text, reasoning, notes, used] = view.said[number - 1] || [];
    const rows = calls.map((raw, i) => call(view, raw, number, i + 1));
    const tokens = used ? `${(used[0] ?? 0).toLocaleString("en")} in, ${(used[1] ?? 0).toLocaleString("en")} out` : "";
    return el("li", { class: "turn" }, el("h3", {}, `Turn ${number}`, tokens ? el("small", {}, `${tokens} tokens`) : null),
      reasoning ? el("details", { class: "reason" }, el("summary", {}, "Reasoning"), el("p", {}, reasoning)) : null,
      text ? speech(text) : null,
      notes ? el("p", { class: "said" }, notes.map((note) => el("span", { class: "mark" }, note.replaceAll("_", " ")))) : null,
      rows.length ? el("ol", { class: "calls" }, rows) : el("p", { class: "said" }, "No call."));
  }

  function speech(text) {
    if (text.length <= 600) return el("p", { class: "speech" }, text);
    return el("details", { class: "speech" }, el("summary", {}, `${text.slice(0, 300)} ...`), el("p", {}, text));
  }

  function call(view, raw, turn, number) {
    const get = (n) => view.things[n || 0];
    const [tool, asked, reply, outcome, after, broken, gained, lost] = [get(raw[0]), get(raw[1]), get(raw[2]), raw[3] || 0, get(raw[4]), get(raw[5]), get(raw[6]), get(raw[7])];
    const kind = KINDS[tool] || "ask";
    const id = `c-${turn}-${number}`;
    const words = asking(tool, asked);
    const one = { id, turn, number, kind, words, after: after || {}, broken: broken || [], gained: gained || [], lost: lost || [], outcome };
    view.calls.push(one);
    return el("li", { class: `call ${kind}${one.broken.length ? " hot" : ""}`, id, tabindex: "-1" },
      el("div", { class: "line" },
        el("span", { class: "no" }, `${turn}.${number}`), el("span", { class: `kind ${kind}` }, el("span", { "aria-hidden": "true" }, SIGNS[kind]), ` ${kind}`),
        el("code", {}, words), result(kind, reply, outcome), raw[8] ? el("span", { class: "mark" }, "made by the harness") : null),
      ...one.broken.map((name) => violation(view, name)),
      changes(view, one),
      ...one.gained.map((name) => goalTurn(view, name, true)), ...one.lost.map((name) => goalTurn(view, name, false)));
  }

  function asking(tool, asked) {
    if (asked && typeof asked === "object" && !Array.isArray(asked)) {
      if (tool === "set_system" && "component" in asked) return `${shown(asked.component)} \u2192 ${shown(asked.value)}`;
      if (tool === "get_system" && "component" in asked) return shown(asked.component);
      const pairs = Object.entries(asked).map(([key, value]) => `${key}=${shown(value)}`);
      return pairs.length ? `${tool} ${pairs.join(" ")}` : String(tool);
    }
    return `${tool} ${shown(asked)}`;
  }

  function result(kind, reply, outcome) {
    if (!reply) return null;
    if (reply.error) return el("span", { class: "rejected" }, `${outcome === 3 ? "not run" : "rejected"}: ${reply.error.message || reply.error.code}`);
    if (kind === "submit") return null;
    if (kind === "set") return outcome === 1 ? el("span", { class: "said" }, "stood there already") : null;
    if ("value" in reply && "component" in reply) {
      return el("span", { class: "reading" }, `${shown(reply.value)}${reply.unit && reply.value !== null ? ` ${reply.unit}` : ""}`);
    }
    const rest = Object.fromEntries(Object.entries(reply).filter(([key]) => key !== "ok"));
    const text = JSON.stringify(rest, null, 1);
    if (text.length <= LONG) return el("span", { class: "reading" }, JSON.stringify(rest));
    return el("details", { class: "reply" }, el("summary", {}, "reply"), el("pre", {}, text));
  }

  function violation(view, name) {
    const known = !view.trace.stale;
    return el("div", { class: "violation" }, el("p", {}, el("b", {}, `\u25b2 Violates ${name}`)),
      known ? [facts(view, view.task.constraints[name][1]), forbidden(view, name)] : null);
  }

  function goalTurn(view, name, met) {
    return el("p", { class: met ? "goal met" : "goal missed" }, met ? "\u2713 Goal " : "\u2717 Goal ", el("b", {}, name), met ? " turned true" : " turned false again",
      meaning(view, view.task.goals[name][2]));
  }

  // Readings.

  function changes(view, one) {
    const names = Object.keys(one.after);
    one.panel = view.panel = { ...(view.panel || start(view)), ...one.after };
    if (!names.length) return null;
    const previous = view.calls.length > 1 ? view.calls[view.calls.length - 2].panel : start(view);
    const items = names.map((name) => el("li", {}, el("span", {}, name), ` ${shown(previous[name])} \u2192 `, el("b", {}, shown(one.after[name]))));
    if (names.length <= FEW) return el("ul", { class: "changes", "aria-label": "The panel changed" }, items);
    return el("details", { class: "more" }, el("summary", {}, `${names.length} readings changed`), el("ul", { class: "changes" }, items));
  }

  function start(view) {
    if (!view.task || view.trace.stale) return {};
    if (!view.start) {
      const rows = view.lexicon.panels[view.task.aircraft];
      view.start = Object.fromEntries(rows.map(([id], i) => [id, view.task.start[i]]));
    }
    return view.start;
  }

  function panel(view) {
    const choice = el("select", { id: "panel-at" }, el("option", { value: "-1" }, "at the start"),
      view.calls.map((one, i) => el("option", { value: i, selected: i === view.calls.length - 1 }, `after ${one.turn}.${one.number} ${one.words}`)));
    const all = el("input", { type: "checkbox", id: "panel-all" });
    const box = el("div", { class: "panel-rows" });
    const draw = () => box.replaceChildren(...panelRows(view, Number(choice.value), all.checked));
    choice.addEventListener("change", draw);
    all.addEventListener("change", draw);
    draw();
    return el("aside", { class: "panel", "aria-label": "Panel" }, el("h3", {}, "Panel"),
      el("label", {}, "Shown ", choice), el("label", { class: "check" }, all, " also what never changed"), box);
  }

  function panelRows(view, place, all) {
    const begin = start(view);
    const now = place < 0 ? begin : view.calls[place].panel;
    const ever = new Set(view.calls.flatMap((one) => Object.keys(one.after)));
    const rows = view.lexicon.panels[view.task.aircraft].filter(([id]) => all || ever.has(id));
    if (!rows.length) return [el("p", { class: "said" }, "No reading changed in this episode.")];
    const cells = rows.map(([id, label, , unit]) => {
      const moved = JSON.stringify(now[id]) !== JSON.stringify(begin[id]);
      return el("tr", { class: moved ? "moved" : null }, el("th", { scope: "row" }, breakable(id), el("small", {}, `${label}${unit ? ` [${unit}]` : ""}`)),
        el("td", {}, shown(begin[id])), el("td", {}, moved ? el("b", {}, shown(now[id])) : shown(now[id])));
    });
    return [el("table", {}, el("thead", {}, el("tr", {}, ["Component", "Start", "Then"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, cells))];
  }

  function strip(view) {
    const cells = view.calls.map((one) => {
      const state = one.broken.length ? "violates" : one.lost.length ? "loses a goal" : one.gained.length ? "meets a goal" : "";
      const sign = one.broken.length ? "\u25b2" : one.lost.length ? "\u2717" : one.gained.length ? "\u2713" : SIGNS[one.kind];
      const text = `${one.turn}.${one.number} ${one.kind} ${one.words}${state ? `, ${state}` : ""}`;
      return el("li", {}, el("button", { type: "button", tabindex: "-1", class: `cell ${one.kind} ${state.split(" ")[0]}`, title: text, "aria-label": text, on: { click: () => jump(one.id) } }, sign));
    });
    return el("section", { class: "strip-box", "aria-label": "All calls at a glance" }, el("h3", {}, "All calls"), el("ol", { class: "cells" }, cells),
      el("label", { class: "said" }, el("input", { type: "checkbox", id: "lean", on: { change: (e) => document.querySelector(".turns").classList.toggle("lean", e.target.checked) } }), " hide reads and questions below"));
  }

  function jump(id) {
    const target = document.getElementById(id);
    if (!target) return;
    for (const old of document.querySelectorAll(".call.now")) old.classList.remove("now");
    target.classList.add("now");
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "center" });
    const choice = at("panel-at");
    if (choice) {
      const place = [...document.querySelectorAll("li.call")].indexOf(target);
      choice.value = String(place);
      choice.dispatchEvent(new Event("change"));
    }
  }

  function nextViolation() {
    const hits = [...document.querySelectorAll("li.call.hot")];
    if (!hits.length) return;
    const now = hits.indexOf(document.querySelector("li.call.hot.now"));
    jump(hits[(now + 1) % hits.length].id);
  }

  // Keys.

  function typing(target) {
    return target instanceof Element && target.matches("input, select, textarea");
  }

  function search() {
    if (open >= 0) location.hash = "#episodes";
    setTimeout(() => { at("search").focus(); at("search").scrollIntoView({ block: "center" }); }, 0);
  }

  const KEYS = {
    j: () => step(1), k: () => step(-1), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
    "/": search, "?": () => at("help").showModal(), v: nextViolation,
  };

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || at("help").open) return;
    if (event.key === "Escape") {
      event.preventDefault(); // a search field would be emptied
      if (typing(event.target)) event.target.blur();
      else if (open >= 0) location.hash = "#episodes";
      return;
    }
    if (typing(event.target) || !(event.key in KEYS)) return;
    if (event.key.startsWith("Arrow") && open < 0) return; // arrows scroll the report
    event.preventDefault();
    KEYS[event.key]();
  }

  fillFilters();
  filter();
  at("filters").addEventListener("input", filter);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(filter, 0));
  at("more").addEventListener("click", () => { listed += PAGE; list(); });
  addEventListener("hashchange", route);
  addEventListener("keydown", key);
  route();
})();
