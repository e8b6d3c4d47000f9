//! The keyboard alone: Tab reaches everything that can be used on every view, the focus is always seen, and it is
//! never lost.

use crate::views::{VIEWS, View, open_with_all};
use app_tests::desktop::{Page, Stage};
use fantoccini::key::Key;
use serde::Deserialize;
use std::collections::BTreeSet;

/// More stops than any view has.
const MOST: usize = 120;

/// Names every element that Tab has to reach. One of a set of radio buttons stands for all of them, and what a list, a
/// tree, a menu or the transcript moves to by arrows is theirs to reach.
const EXPECTED: &str = "const within = document.querySelector('dialog[open], [role=menu], .drawer') ?? document;
    const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]');
    const takes = 'a[href], button, input, textarea, select, summary, audio[controls], video[controls], [tabindex]';
    window.names = new Map();
    // The list is one stop, and which of its rows is it may change under the test: an Undo brings one back.
    window.nameOf = (element) => {
        if (element.getAttribute('role') === 'row') return 'the list';
        if (!names.has(element)) {
            const kind = page.role(element) || element.tagName;
            names.set(element, `${names.size} ${kind} \"${page.name(element).slice(0, 60)}\"`);
        }
        return names.get(element);
    };
    const parts = [...within.querySelectorAll(takes)].filter((element) => shown(element) && !element.disabled);
    const roving = (element) => element.closest('[role=treegrid], [role=menu], [role=log], [role=list]');
    const unreachable = parts.filter((element) => element.tabIndex < 0 && element.matches('a, button, input, textarea')
        && !roving(element));
    const reach = parts.filter((element) => element.tabIndex >= 0
        && !(element.type === 'radio' && !element.checked));
    return { reach: reach.map(nameOf), unreachable: unreachable.map(nameOf) }";

/// What has the focus now, and whether that can be seen: a ring of its own, of its frame, or of what stands for it.
const HERE: &str = "const element = document.activeElement;
    if (!element || element === document.body) return { name: null, seen: false };
    const drawn = (style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
    const ring = (part) => Boolean(part)
        && (drawn(getComputedStyle(part)) || drawn(getComputedStyle(part, '::after')));
    const frames = [element, element.nextElementSibling, element.parentElement, element.parentElement?.parentElement];
    const box = element.getBoundingClientRect();
    const inView = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    return { name: nameOf(element), seen: frames.some(ring) && inView }";

#[derive(Debug, Deserialize)]
struct Expected {
    reach: BTreeSet<String>,
    unreachable: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Here {
    name: Option<String>,
    seen: bool,
}

#[tokio::test]
async fn tab_reaches_everything_on_every_view_and_the_focus_is_always_seen() {
    let stage = Stage::new();
    let app = open_with_all(&stage).await;
    let mut wrong = Vec::new();
    for &view in VIEWS {
        view.open(&app.page).await;
        wrong.extend(walk(&app.page, view).await.into_iter().map(|words| format!("{view:?}: {words}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    app.close().await;
}

/// Goes round by Tab and says what is wrong.
async fn walk(page: &Page, view: View) -> Vec<String> {
    let expected: Expected =
        serde_json::from_value(page.run(EXPECTED, &[]).await).expect("what is to be reached");
    let mut wrong: Vec<String> = expected
        .unreachable
        .iter()
        .map(|name| format!("{name} is out of the reach of Tab and arrows"))
        .collect();
    // A menu is walked by arrows; Tab leaves it.
    if view == View::RowMenu {
        return wrong;
    }
    // What opens with the focus in it may be left by the first Tab for good: a title that is being edited.
    let first: Here = serde_json::from_value(page.run(HERE, &[]).await).expect("what has the focus");
    let mut reached: BTreeSet<String> = first.name.into_iter().filter(|_| first.seen).collect();
    let mut rounds = 0;
    for _ in 0..MOST {
        page.press(&[Key::Tab.into()]).await;
        let here: Here = serde_json::from_value(page.run(HERE, &[]).await).expect("what has the focus");
        match here.name {
            // Between the last and the first the focus may leave the page: once a round.
            None => rounds += 1,
            Some(name) if !here.seen => {
                wrong.push(format!("{name} has the focus unseen"));
                rounds += usize::from(!reached.insert(name));
            }
            Some(name) => {
                if reached.contains(&name) && expected.reach.is_subset(&reached) {
                    break;
                }
                reached.insert(name);
            }
        }
        if rounds > 2 {
            break;
        }
    }
    wrong.extend(expected.reach.difference(&reached).map(|name| format!("Tab never reaches {name}")));
    wrong
}
