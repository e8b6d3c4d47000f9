//! Where a new window goes: a step right and down of the one it was opened from, and never off the screen. Pure; called by
//! `windows`. All numbers are physical pixels.

/// A screen's part that windows may use, or a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// The place of a window of this size, `step` right and down of `beside`. One larger than the area fills it; one that
/// would leave it starts over at its other edge.
pub(crate) fn cascaded(area: Rect, beside: (i32, i32), size: (u32, u32), step: i32) -> Rect {
    let (width, height) = (size.0.min(area.width), size.1.min(area.height));
    Rect {
        x: along(area.x, area.width - width, beside.0, step),
        y: along(area.y, area.height - height, beside.1, step),
        width,
        height,
    }
}

/// One axis: `room` is how far the window can move.
fn along(start: i32, room: u32, beside: i32, step: i32) -> i32 {
    // In 64 bits: a screen may lie anywhere, and no sum of these leaves them.
    let (start, room) = (i64::from(start), i64::from(room));
    let wanted = (i64::from(beside) - start).clamp(0, room) + i64::from(step);
    i32::try_from(start + wanted % (room + 1)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Rect, cascaded};

    const SCREEN: Rect = Rect { x: 1920, y: -200, width: 1280, height: 800 };

    fn inside(window: Rect) -> bool {
        let right = |rect: Rect| {
            (i64::from(rect.x) + i64::from(rect.width), i64::from(rect.y) + i64::from(rect.height))
        };
        window.x >= SCREEN.x
            && window.y >= SCREEN.y
            && right(window).0 <= right(SCREEN).0
            && right(window).1 <= right(SCREEN).1
    }

    #[test]
    fn a_window_opens_a_step_from_the_one_it_came_from() {
        let placed = cascaded(SCREEN, (2000, -150), (760, 700), 32);
        assert_eq!(placed, Rect { x: 2032, y: -118, width: 760, height: 700 });
    }

    #[test]
    fn no_window_leaves_the_screen_whatever_it_was_opened_from() {
        for beside in [(0, 0), (2900, 500), (i32::MIN, i32::MAX), (i32::MAX, i32::MIN)] {
            for size in [(760, 700), (5000, 90), (1280, 800)] {
                let placed = cascaded(SCREEN, beside, size, 32);
                assert!(inside(placed), "{size:?} beside {beside:?}: {placed:?}");
            }
        }
    }

    #[test]
    fn windows_opened_one_after_another_do_not_lie_on_each_other() {
        let mut last = (SCREEN.x, SCREEN.y);
        for _ in 0..40 {
            let placed = cascaded(SCREEN, last, (760, 600), 32);
            assert_ne!((placed.x, placed.y), last);
            assert!(inside(placed));
            last = (placed.x, placed.y);
        }
    }
}
