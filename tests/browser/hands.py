"""Two ways to use a page, and nothing else: the keys of a keyboard, and the taps of a thumb.

Both act only on what a person can see: a control that is covered, out of view or too small fails the test.
"""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

TARGET = 44  # pixels, for a thumb
PRESSES = 60  # of Tab, until a person gives up

# What covers the middle of an element, or why it can't be seen.
COVERED = """element => {
    const boxes = [...(element.labels ?? [])].concat(element).map((one) => one.getBoundingClientRect());
    const reasons = boxes.map((box) => {
        const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height / 2, 60)];
        if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return `out of the window at ${x}, ${y}`;
        const top = document.elementFromPoint(x, y);
        const isSeen = [element, ...(element.labels ?? [])].some((one) => one.contains(top) || top?.contains(one));
        return isSeen ? null : `behind ${top?.outerHTML.slice(0, 120)}`;
    });
    return reasons.includes(null) ? null : reasons.join("; ");
}"""
FOCUSED = "element => element === document.activeElement"


def see(target: Locator) -> None:
    """Wait until a person sees the target in its place: elements are found before the styles that place them."""
    expect(target).to_be_visible()
    target.page.wait_for_load_state()


@dataclass
class Keys:
    """A person who has no pointer."""

    page: Page

    def reach(self, target: Locator, key: str = "Tab") -> None:
        """Press a key until the target has the focus, and check that the person sees the target."""
        see(target)
        for _ in range(PRESSES):
            if target.evaluate(FOCUSED):
                assert target.evaluate(COVERED) is None, f"{target} is not visible: {target.evaluate(COVERED)}"
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"{target} is not within {PRESSES} presses of {key}")

    def press(self, target: Locator, key: str = "Enter", by: str = "Tab") -> None:
        self.reach(target, by)
        self.page.keyboard.press(key)

    def shortcut(self, key: str) -> None:
        """Press a key of the page as a whole, once its scripts listen: they run after the page is first seen."""
        self.page.wait_for_load_state()
        self.page.keyboard.press(key)

    def type(self, target: Locator, text: str) -> None:
        self.reach(target)
        self.page.keyboard.type(text)


@dataclass
class Thumb:
    """A person who has a phone. Scrolling is left to the browser: it ends where a swipe could end."""

    page: Page

    def press(self, target: Locator) -> None:
        """Tap the middle of a target that is large enough and not covered."""
        see(target)
        target.scroll_into_view_if_needed()
        assert target.evaluate(COVERED) is None, f"{target} is not visible: {target.evaluate(COVERED)}"
        box = target.evaluate("""element => {
            const boxes = [...(element.labels ?? [])].concat(element).map((one) => one.getBoundingClientRect());
            const box = boxes.reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
            return {x: box.x, y: box.y, width: box.width, height: box.height};
        }""")
        assert (box["width"] >= TARGET, box["height"] >= TARGET) == (True, True), (
            f"{target} is {box['width']} by {box['height']} pixels"
        )
        self.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def type(self, target: Locator, text: str) -> None:
        self.press(target)
        expect(target).to_be_focused()
        self.page.keyboard.type(text)
