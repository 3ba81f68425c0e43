"""What is asked of every view of the report, whoever reads it and however: scripts that run inside the page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

NEED_NAMES = frozenset(
    {"button", "link", "textbox", "searchbox", "combobox", "table", "img", "image", "region", "navigation", "search"}
)


def nameless(page: Page) -> list[str]:
    """Controls, tables and pictures that a screen reader has no name for, from the browser's accessibility tree."""
    session = page.context.new_cdp_session(page)
    tree: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in tree
        if not node.get("ignored") and node.get("role", {}).get("value") in NEED_NAMES
    ]
    assert named
    return [role for role, name in named if not name]


HEADING_LEVELS = """() => [...document.querySelectorAll("h1, h2, h3, h4")]
  .filter((node) => node.checkVisibility()).map((node) => Number(node.tagName[1]))"""

BAD_TABLES = """() => [...document.querySelectorAll("table")]
  .filter((node) => !node.caption || [...node.querySelectorAll("th")].some((th) => !th.scope))
  .map((node) => node.outerHTML.slice(0, 80))"""

MOVING = """() => [...document.querySelectorAll("*")].filter((node) => {
  const style = getComputedStyle(node);
  return style.animationName !== "none" || !/^0s(, 0s)*$/.test(style.transitionDuration)
    || style.scrollBehavior !== "auto";
}).map((node) => node.tagName)"""

FOCUSED = """() => {
  const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect();
  return {
    tag: node.tagName, id: node.id, text: (node.textContent || node.name || "").trim().slice(0, 60),
    seen: parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== "none" && box.bottom > 0,
  };
}"""

LOW_CONTRAST = """() => {
  const channels = (text) => text.match(/[0-9.]+/g).map(Number);
  const light = (text) => {
    const parts = channels(text).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = {};
  for (const node of document.querySelectorAll("body *")) {
    if (!node.checkVisibility() || node.disabled) continue;
    if (node.closest(".hidden, .skip, script, style, desc, title")) continue;
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
    const style = getComputedStyle(node);
    const ink = node instanceof SVGElement ? style.fill : style.color;
    const box = node.closest(".node")?.querySelector("rect");
    const paper = box ? getComputedStyle(box).fill : behind(node);
    const pair = [light(ink), light(paper)].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) found[`${node.tagName}.${node.getAttribute("class") || ""} ${ink} on ${paper}`] = ratio;
  }
  return found;
}"""
"""Every visible text of the page that stands out less than 4.5 to 1 from what is behind it."""

VIOLATIONS = """async () => (await axe.run(document)).violations.map(
  (one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html.slice(0, 120)).slice(0, 3).join(" ")}`)"""
"""Whatever axe-core, which has to be in the page, finds against it."""
