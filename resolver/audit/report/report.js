"use strict";
// The list, its filters and the page of one table. Everything shown is set as text, never as markup.

const ROWS_A_PAGE = 100;
const SEVERITIES = ["info", "warning", "error"];
const FILTERS = ["text", "protocol", "feature", "rule", "severity", "state", "client", "act"];

// --- data ---------------------------------------------------------------------------------------

async function unpacked(name) {
  const bytes = Uint8Array.from(atob(document.getElementById(`data-${name}`).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const chunks = new Map();
async function tableAt(row) {
  const chunk = Math.floor(row / index.chunk);
  if (!chunks.has(chunk)) chunks.set(chunk, await unpacked(`chunk-${chunk}`));
  return chunks.get(chunk)[row % index.chunk];
}

let index, columns, words, severities, profiles;
let opened = null;
let shown = [], page = 0, sort = { key: null, down: false };

// --- building elements --------------------------------------------------------------------------

function el(tag, attributes = {}, ...children) {
  const isSvg = ["svg", "g", "rect", "text", "path", "line", "title", "desc", "polygon"].includes(tag);
  const node = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

const number = (value) => value.toLocaleString("en");
const moment = (ms) => (ms === null || ms === undefined ? "" : `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")}`);
const label = (protocol) => (protocol ? `${protocol.reader_version}, ${protocol.writer_version}` : "");

// --- the list -----------------------------------------------------------------------------------

const form = document.getElementById("filters");

function fillChoices() {
  const used = (key) => [...new Set(columns[key].flat())].map((n) => words[n]).filter(Boolean).sort();
  const add = (name, values) => values.forEach((value) => form.elements[name].append(el("option", { value }, value)));
  add("protocol", used("protocol"));
  add("feature", used("features"));
  add("rule", used("rules"));
  const releases = new Set(profiles.flat().flatMap((locked) => locked.releases));
  add("client", [...releases].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
}

function lockedProfiles(release, act) {
  const locked = new Set();
  profiles.forEach((profile, n) => {
    if (profile.some((out) => out.act === act && out.releases.includes(release))) locked.add(n);
  });
  return locked;
}

function matching() {
  const wanted = Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value]));
  const text = wanted.text.trim().toLowerCase();
  const wordOf = (value) => (value === "" ? null : words.indexOf(value));
  const [protocol, feature, rule] = [wordOf(wanted.protocol), wordOf(wanted.feature), wordOf(wanted.rule)];
  const severity = SEVERITIES.indexOf(wanted.severity);
  const locked = wanted.client ? lockedProfiles(wanted.client, wanted.act) : null;
  const noError = words.indexOf("");
  const rows = [];
  for (let row = 0; row < columns.location.length; row++) {
    if (text && !columns.location[row].toLowerCase().includes(text)) continue;
    if (protocol !== null && columns.protocol[row] !== protocol) continue;
    if (feature !== null && !columns.features[row].includes(feature)) continue;
    if (rule !== null && !columns.rules[row].includes(rule)) continue;
    if (severity >= 0 && columns.severity[row] < severity) continue;
    if (wanted.state === "unreadable" && columns.error[row] === noError) continue;
    if (wanted.state === "lower" && !columns.lower[row]) continue;
    if (wanted.state === "unused" && columns.unused[row].length === 0) continue;
    if (locked !== null && !locked.has(columns.profile[row])) continue;
    rows.push(row);
  }
  return rows;
}

function sortValue(key) {
  const column = columns[key];
  if (key === "features") return (row) => column[row].length;
  if (["protocol", "lowest", "raisedBy"].includes(key)) return (row) => words[column[row]];
  if (key === "severity") return (row) => column[row] * 1000 + columns.rules[row].length;
  return (row) => column[row] ?? -1;
}

function sorted(rows) {
  if (sort.key === null) return rows;
  const value = sortValue(sort.key);
  const turn = sort.down ? -1 : 1;
  const text = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return rows.sort((a, b) => turn * text(value(a), value(b)) || a - b);
}

function showList() {
  shown = sorted(matching());
  page = Math.min(page, Math.max(0, Math.ceil(shown.length / ROWS_A_PAGE) - 1));
  const body = document.querySelector("#list tbody");
  body.replaceChildren(...shown.slice(page * ROWS_A_PAGE, (page + 1) * ROWS_A_PAGE).map(listRow));
  if (shown.length === 0) body.append(el("tr", {}, el("td", { colspan: 10, class: "quiet" }, "No table matches. Clear a filter.")));
  document.getElementById("shown").textContent = `${number(shown.length)} of ${number(columns.location.length)} tables`;
  const pages = Math.max(1, Math.ceil(shown.length / ROWS_A_PAGE));
  document.getElementById("page").textContent = `page ${number(page + 1)} of ${number(pages)}`;
  document.getElementById("previous").disabled = page === 0;
  document.getElementById("next").disabled = page + 1 >= pages;
  for (const button of document.querySelectorAll("#list th button")) {
    const direction = button.dataset.sort === sort.key ? (sort.down ? "descending" : "ascending") : null;
    if (direction) button.parentElement.setAttribute("aria-sort", direction);
    else button.parentElement.removeAttribute("aria-sort");
  }
}

// Long locations are broken after a slash, not inside a name.
const breakable = (location) => location.split("/").flatMap((part, place) => (place ? ["/", el("wbr", {}), part] : [part]));

function listRow(row) {
  const location = columns.location[row];
  const unused = new Set(columns.unused[row]);
  const error = words[columns.error[row]];
  const severity = SEVERITIES[columns.severity[row]];
  const rules = columns.rules[row].map((n) => words[n]);
  return el("tr", {},
    el("th", { scope: "row", class: "where" }, el("a", { href: `#table?location=${encodeURIComponent(location)}` }, breakable(location))),
    el("td", {}, error ? el("span", { class: "severity error" }, error) : words[columns.protocol[row]]),
    el("td", {}, columns.lower[row] ? words[columns.lowest[row]] : ""),
    el("td", {}, columns.features[row].map((n) => el("span", { class: unused.has(n) ? "chip unused" : "chip", title: unused.has(n) ? "unused" : null }, words[n]))),
    el("td", { class: "names", title: rules.join(", ") }, severity ? [el("span", { class: `severity ${severity}` }, `${severity}: `), rules.filter((name) => severities[name] === severity).join(", ") || rules.join(", ")] : ""),
    el("td", { class: "number" }, error ? "" : number(columns.lockedRead[row])),
    el("td", { class: "number" }, error ? "" : number(columns.lockedAppend[row])),
    el("td", { class: "number" }, error ? "" : number(columns.replay[row])),
    el("td", { class: "nowrap" }, moment(columns.lastCommit[row]).slice(0, 10)),
    el("td", {}, words[columns.raisedBy[row]]));
}

// --- one table ----------------------------------------------------------------------------------

function section(title, ...content) {
  const filled = content.flat().filter(Boolean);
  return filled.length ? el("section", {}, el("h3", {}, title), filled) : null;
}

// What may be wider than the screen scrolls by itself, also by the arrow keys.
const scrolled = (name, content) => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, content);
const hiddenCaption = (text) => el("caption", { class: "hidden" }, text);

const command = (text) => (text ? el("div", { class: "copied" }, el("code", { class: "command" }, text), el("button", { type: "button", class: "copy", "aria-label": "Copy the command" }, "Copy")) : null);
const chips = (names) => names.map((name) => el("span", { class: "chip" }, name));

const isLower = ({ protocol, lowest_protocol: lowest }) => Boolean(protocol && lowest) && lowest.reader_version <= protocol.reader_version && lowest.writer_version <= protocol.writer_version;

function tablePage(table) {
  const facts = [
    ["protocol", label(table.protocol)],
    [isLower(table) ? "lowest it could have" : "fewest features it could have", table.lowest_protocol ? `${label(table.lowest_protocol)}${(table.lowest_protocol.writer_features || []).length ? `: ${table.lowest_protocol.writer_features.join(", ")}` : ""}` : ""],
    ["table version", table.table_version === undefined ? "" : number(table.table_version)],
    ["partitioned by", (table.partition_columns || []).join(", ")],
    ["columns", table.column_count ? number(table.column_count) : ""],
    ["created", moment(table.created_ms)],
    ["table id", table.table_id || ""],
  ].filter(([, value]) => value);
  return [
    el("p", {}, el("a", { href: "#tables" }, "← all tables")),
    el("h2", { tabindex: -1 }, breakable(table.location)),
    table.error ? el("div", { class: "note error" }, el("b", {}, `${table.error.code} `), table.error.message, " ", el("i", {}, table.error.fix)) : null,
    table.owner ? el("p", { class: "quiet" }, `Owner: ${table.owner}`) : null,
    table.borne ? el("p", { class: "quiet" }, `${number(table.borne)} ${table.borne === 1 ? "finding is" : "findings are"} waived by the lake.toml.`) : null,
    table.next_step ? el("div", { class: "note good" }, el("b", {}, "Next: "), table.next_step.title, command(table.next_step.command), (table.next_step.gains || []).length ? el("div", { class: "quiet" }, table.next_step.gains.join("; ")) : null) : null,
    el("dl", { class: "facts" }, facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    section("Clients that were asked about", askedTable(table)),
    section("Findings", (table.findings || []).length ? el("ul", { class: "findings" }, table.findings.map(findingItem)) : null),
    section("Why each feature", featureGraph(table), featureTable(table)),
    section("Since when", timeline(table)),
    section("Who changed the protocol", historyTable(table)),
    section("Health of the log", healthList(table.health || {})),
    section("Clients locked out", lockedTable(table)),
    section("Properties", Object.keys(table.properties || {}).length ? el("dl", { class: "facts" }, Object.entries(table.properties).flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, value)])) : null),
  ].filter(Boolean);
}

// The clients that somebody waits for stand before all others.
function askedTable(table) {
  const blocked = table.blocked || [];
  if (!blocked.length) return null;
  return scrolled("Clients that were asked about", el("table", { class: "plain" }, hiddenCaption("Clients that were asked about and cannot use this table, and the way out"),
    el("thead", {}, el("tr", {}, ["Client", "Act", "Outcome", "Because", "Way out"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, blocked.map((one) => el("tr", {},
      el("th", { scope: "row" }, one.release, one.path ? el("span", { class: "quiet" }, ` by ${one.path}`) : ""),
      el("td", {}, one.act),
      el("td", {}, el("span", { class: `severity ${one.outcome === "silently wrong" ? "error" : one.outcome === "refuses" ? "warning" : "info"}` }, one.outcome)),
      el("td", {}, one.reason),
      el("td", {}, [one.upgrade ? `upgrade to ${one.upgrade} (0 bytes)` : "", (one.works_on || []).length ? `use its path ${one.works_on.join(" or ")}` : "", one.advice || ""].filter(Boolean).join("; or ") || "none that harms nobody", command(one.command)))))));
}

function findingItem(finding) {
  return el("li", { class: finding.severity }, el("b", {}, `${finding.rule} (${finding.severity}) `), finding.message, " ", el("i", {}, finding.remedy), command(finding.command));
}

function featureTable(table) {
  const features = table.features || [];
  if (!features.length) return null;
  return scrolled("Features", el("table", { class: "plain" }, hiddenCaption("Features, and why each is there"),
    el("thead", {}, el("tr", {}, ["Feature", "Use", "Why", "What would let it go"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, features.map((feature) => el("tr", {},
      el("th", { scope: "row" }, feature.name, feature.for_readers ? "" : el("span", { class: "quiet" }, " writers only")),
      el("td", {}, el("span", { class: `chip ${feature.use}` }, feature.use)),
      el("td", {}, [...(feature.reasons || []), ...(feature.needed_by || []).map((name) => `needed by ${name}`)].join("; ") || (feature.listed ? "listed in the protocol" : "implied by the versions")),
      el("td", {}, (feature.remedies || []).join(" "), command(feature.command)))))));
}

function historyTable(table) {
  const events = table.history || [];
  if (!events.length) return null;
  const why = (event) => (event.causes || []).map((cause) => `${cause.feature}${(cause.because || []).length ? ` (${cause.because.join(", ")})` : ""}`).join("; ");
  return scrolled("Changes of the protocol", el("table", { class: "plain" }, hiddenCaption("Commits that changed the protocol"),
    el("thead", {}, el("tr", {}, ["When", "Version", "Protocol", "Operation", "By", "Brought", "Removed"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, events.map((event) => el("tr", {},
      el("td", { class: "nowrap" }, moment(event.timestamp_ms)), el("td", { class: "number" }, number(event.table_version)),
      el("td", { class: "nowrap" }, event.before ? `${label(event.before)} → ${label(event.after)}` : label(event.after)),
      el("td", {}, event.operation || ""), el("td", {}, [event.user, event.engine].filter(Boolean).join(", ")),
      el("td", {}, why(event)), el("td", {}, (event.removed || []).join(", ")))))));
}

function lockedTable(table) {
  const row = columns.location.indexOf(table.location);
  const locked = row < 0 || columns.profile[row] < 0 ? [] : profiles[columns.profile[row]];
  if (!locked.length) return null;
  const wrong = locked.filter((out) => out.outcome === "silently wrong");
  const refusing = locked.filter((out) => out.outcome === "refuses");
  const unknown = locked.filter((out) => out.outcome === "unknown");
  return el("div", {},
    wrong.length + refusing.length ? clientTable("Releases that cannot use this table, and why", [...wrong, ...refusing]) : null,
    unknown.length ? el("details", {}, el("summary", {}, `Of ${number(new Set(unknown.flatMap((out) => out.releases)).size)} releases nothing is known`),
      clientTable("Releases of which it is not known whether they can use this table", unknown)) : null);
}

function clientTable(caption, rows) {
  return scrolled(caption, el("table", { class: "plain" }, hiddenCaption(caption),
    el("thead", {}, el("tr", {}, ["Client", "Act", "Outcome", "Releases", "Because"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, rows.map((out) => el("tr", {},
      el("th", { scope: "row" }, out.client), el("td", {}, out.act),
      el("td", {}, el("span", { class: `severity ${out.outcome === "silently wrong" ? "error" : out.outcome === "refuses" ? "warning" : "info"}` }, out.outcome)),
      el("td", {}, releaseRange(out.releases)), el("td", {}, out.reason || out.feature || ""))))));
}

function releaseRange(releases) {
  const versions = releases.map((release) => release.slice(release.lastIndexOf("@") + 1));
  const text = versions.length > 4 ? `${versions[0]} … ${versions.at(-1)} (${versions.length} releases)` : versions.join(", ");
  return el("span", { title: versions.join(", ") }, text);
}

function healthList(health) {
  const list = (values) => (values || []).slice(0, 8).join(", ") + ((values || []).length > 8 ? " …" : "");
  const facts = [
    ["commit files", health.commits ? `${number(health.commits)} from version ${health.first_version ?? "?"}, ${number(health.commit_bytes || 0)} bytes` : ""],
    ["newest checkpoint", health.checkpoint_version === undefined || health.checkpoint_version === null ? "none" : `${health.checkpoint_kind}, version ${health.checkpoint_version}, ${moment(health.checkpoint_ms)}`],
    ["commits to replay", number(health.commits_since_checkpoint || 0)],
    ["last commit", moment(health.last_commit_ms)],
    ["missing versions", list(health.gaps)],
    ["compactions over them", list(health.compactions_over_gaps)],
    ["_last_checkpoint", health.wrong_hint || ""],
    ["checksum", health.wrong_checksum || ""],
    ["torn files", list(health.torn_files)],
    ["incomplete checkpoints", list(health.incomplete_checkpoints)],
    ["missing sidecars", list(health.missing_sidecars)],
    ["log kept for", health.log_retention || ""],
    ["removed files kept for", health.deleted_file_retention || ""],
    ...(health.conflicting_properties || []).map((property) => [`${property.key} = ${property.value}`, property.problem]),
  ].filter(([, value]) => value);
  return el("dl", { class: "facts" }, facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

// --- drawings -----------------------------------------------------------------------------------

const clipped = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

function featureGraph(table) {
  // Left what calls for a feature, then the feature, then the features it needs.
  const features = table.features || [];
  const needs = features.flatMap((feature) => (feature.needed_by || []).map((by) => [by, feature.name]));
  const drawn = features.filter((feature) => (feature.reasons || []).length || needs.some((edge) => edge.includes(feature.name)));
  if (!drawn.length) return null;
  const depth = new Map(drawn.map((feature) => [feature.name, 1]));
  for (let round = 0; round < drawn.length; round++) {
    for (const [by, name] of needs) if ((depth.get(by) ?? 0) >= (depth.get(name) ?? 0)) depth.set(name, depth.get(by) + 1);
  }
  const causes = drawn.flatMap((feature) => (feature.reasons || []).map((reason) => ({ id: `because ${reason}`, text: reason, use: "cause", column: 0, to: feature.name })));
  const nodes = [...new Map(causes.map((cause) => [cause.id, cause])).values(), ...drawn.map((feature) => ({ id: feature.name, text: feature.name, use: feature.use, column: depth.get(feature.name) }))];
  const [wide, high, gapX, gapY, causeWide] = [190, 26, 60, 12, 290];
  const used = [];
  for (const node of nodes) {
    node.line = used[node.column] = (used[node.column] ?? -1) + 1;
    node.x = node.column === 0 ? 4 : 4 + causeWide + gapX + (node.column - 1) * (wide + gapX);
    node.w = node.column === 0 ? causeWide : wide;
    node.y = 4 + node.line * (high + gapY);
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = [...causes.map((cause) => [cause.id, cause.to]), ...needs].filter(([a, b]) => byId.has(a) && byId.has(b)).map(([a, b]) => edge(byId.get(a), byId.get(b), high));
  const width = Math.max(...nodes.map((node) => node.x + node.w)) + 8;
  const height = Math.max(...nodes.map((node) => node.y)) + high + 8;
  const said = `${causes.map((cause) => `${cause.text} calls for ${cause.to}`).concat(needs.map(([by, name]) => `${by} needs ${name}`)).join("; ")}`;
  return el("svg", { class: "drawing", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Feature graph: ${said}` },
    edges, nodes.map((node) => el("g", { class: `node ${node.use}` }, el("title", {}, node.text),
      el("rect", { x: node.x, y: node.y, width: node.w, height: high, rx: 5 }),
      el("text", { x: node.x + 9, y: node.y + 17 }, clipped(node.text, node.column === 0 ? 44 : 27)))));
}

function edge(from, to, high) {
  const [x1, y1, x2, y2] = [from.x + from.w, from.y + high / 2, to.x, to.y + high / 2];
  const bend = (x2 - x1) / 2;
  return el("g", {}, el("path", { class: "edge", d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2 - 6},${y2}` }),
    el("polygon", { class: "arrow", points: `${x2},${y2} ${x2 - 7},${y2 - 4} ${x2 - 7},${y2 + 4}` }));
}

function timeline(table) {
  const spans = table.timeline || [];
  if (!spans.length) return null;
  const end = Math.max(...spans.map((span) => span.until_ms ?? span.since_ms), (table.health || {}).last_commit_ms ?? 0);
  const start = Math.min(...spans.map((span) => span.since_ms));
  const [left, wide, high] = [190, 560, 22];
  const across = (ms) => left + (end > start ? ((ms - start) / (end - start)) * wide : 0);
  const rows = [...spans].sort((a, b) => a.since_ms - b.since_ms || (a.feature < b.feature ? -1 : 1));
  const height = rows.length * high + 34;
  const whole = left + wide + 200;
  const when = (span) => (span.until_ms ? `gone: version ${span.since_version} to ${span.until_version}` : `since version ${span.since_version}${span.from_start ? " or earlier" : ""}`);
  return el("svg", { class: "drawing", viewBox: `0 0 ${whole} ${height}`, width: whole, height, role: "img", "aria-label": `Timeline: ${rows.map((span) => `${span.feature} since version ${span.since_version}${span.until_version === undefined ? "" : ` until ${span.until_version}`}`).join("; ")}` },
    rows.map((span, n) => el("g", {}, el("title", {}, `${span.feature}: ${span.from_start ? "at the latest " : ""}since version ${span.since_version}, ${moment(span.since_ms)}${span.until_ms ? `, until version ${span.until_version}, ${moment(span.until_ms)}` : ""}`),
      el("text", { x: left - 10, y: n * high + 15, "text-anchor": "end" }, clipped(span.feature, 27)),
      el("rect", { class: span.until_ms ? "span over" : "span", x: across(span.since_ms), y: n * high + 4, width: Math.max(4, across(span.until_ms ?? end) - across(span.since_ms)), height: high - 8, rx: 3 }),
      el("text", { class: "tick", x: left + wide + 12, y: n * high + 15 }, when(span)))),
    el("line", { class: "axis", x1: left, x2: left + wide, y1: height - 28, y2: height - 28 }),
    el("text", { class: "tick", x: left, y: height - 12 }, moment(start).slice(0, 10)),
    el("text", { class: "tick", x: left + wide, y: height - 12, "text-anchor": "end" }, moment(end).slice(0, 10)));
}

// --- where we are -------------------------------------------------------------------------------

async function go() {
  const [view, query = ""] = location.hash.slice(1).split("?");
  const asked = new URLSearchParams(query);
  const one = document.getElementById("table");
  const isTable = view === "table";
  one.hidden = !isTable;
  document.getElementById("overview-view").hidden = isTable;
  document.getElementById("tables").hidden = isTable;
  if (isTable) {
    const row = columns.location.indexOf(asked.get("location"));
    one.replaceChildren(...(row < 0 ? [el("p", { class: "note error" }, "This audit has no such table: ", asked.get("location") || "")] : tablePage(await tableAt(row))));
    opened = asked.get("location");
    scrollTo(0, 0);
    one.querySelector("h2")?.focus({ preventScroll: true });
    return;
  }
  if (view === "tables" && query) {
    // Not by form.reset(): its event would draw the list again after the focus is set.
    for (const name of FILTERS) form.elements[name].value = name === "act" ? "read" : "";
    for (const name of FILTERS) {
      if (!asked.has(name)) continue;
      const field = form.elements[name];
      if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === asked.get(name))) field.append(el("option", { value: asked.get(name) }, asked.get(name)));
      field.value = asked.get(name);
    }
    page = 0;
    showList();
  }
  if (opened !== null) {
    // Back from a table to where one came from, by keyboard too.
    const link = [...document.querySelectorAll("#list tbody th a")].find((each) => each.textContent === opened);
    opened = null;
    if (link) {
      link.focus();
      return;
    }
  }
  if (view) document.getElementById(view)?.scrollIntoView();
}

function keepFilters() {
  const asked = new URLSearchParams();
  for (const name of FILTERS) {
    const value = form.elements[name].value;
    if (value && !(name === "act" && !form.elements.client.value)) asked.set(name, value);
  }
  history.replaceState(null, "", asked.size ? `#tables?${asked}` : "#tables");
}

// --- commands to copy ---------------------------------------------------------------------------

async function copyCommand(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    // A page from disk may not be allowed to: then the command is at least selected.
    getSelection().selectAllChildren(code);
    if (!document.execCommand("copy")) return;
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

addEventListener("click", (event) => {
  if (event.target.matches?.("button.copy")) copyCommand(event.target);
});

async function start() {
  [index, profiles, severities] = await Promise.all([unpacked("index"), unpacked("profiles"), unpacked("rule-severities")]);
  words = index.words;
  columns = { location: [], protocol: [], lowest: [], lower: [], features: [], unused: [], rules: [], severity: [], lockedRead: [], lockedAppend: [], profile: [], replay: [], lastCommit: [], raisedBy: [], error: [], ...index.columns };
  document.getElementById("lower-count").textContent = number(columns.lower.reduce((sum, lower) => sum + lower, 0));
  fillChoices();
  form.addEventListener("input", () => { page = 0; showList(); keepFilters(); });
  form.addEventListener("reset", () => setTimeout(() => { page = 0; showList(); keepFilters(); }));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("previous").addEventListener("click", () => { page--; showList(); });
  document.getElementById("next").addEventListener("click", () => { page++; showList(); });
  for (const button of document.querySelectorAll("#list th button")) {
    button.addEventListener("click", () => {
      const key = button.dataset.sort;
      sort = { key, down: sort.key === key ? !sort.down : ["severity", "features", "lockedRead", "lockedAppend", "replay", "lastCommit"].includes(key) };
      page = 0;
      showList();
    });
  }
  // Paper has no pages to go through: all rows are there while it is printed.
  addEventListener("beforeprint", () => document.querySelector("#list tbody").replaceChildren(...shown.map(listRow)));
  addEventListener("afterprint", showList);
  addEventListener("hashchange", go);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && opened !== null) history.length > 1 ? history.back() : (location.hash = "#tables");
  });
  showList();
  await go();
  document.documentElement.dataset.ready = "true";
}

start();
