//! The app's page as a test uses it: find by role and name, click, type, wait, look.

use fantoccini::Client;
use fantoccini::actions::{Actions, InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT};
use fantoccini::actions::{MouseActions, PointerAction};
use fantoccini::elements::{Element, ElementRef};
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PAGE_FUNCTIONS: &str = include_str!("page.js");
const DEADLINE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(25);
/// The key under which WebDriver hands over an element (W3C WebDriver, section 12.2).
const ELEMENT_KEY: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How a wanted name is compared.
#[derive(Clone, Copy, Debug)]
enum How {
    Is,
    Starts,
    Holds,
}

impl How {
    fn word(self) -> &'static str {
        match self {
            How::Is => "is",
            How::Starts => "starts",
            How::Holds => "holds",
        }
    }
}

/// An element that was in view when it was looked for.
pub type Found = Element;

/// A window's page.
pub struct Page {
    client: Client,
}

impl Page {
    pub(super) fn new(client: Client) -> Self {
        Self { client }
    }

    pub(super) fn into_client(self) -> Client {
        self.client
    }

    /// The driver's own client, for what this page has no word for.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Runs a script with `page` (see `page.js`) and `args` at hand; its `return` comes back.
    pub async fn run(&self, script: &str, args: &[Value]) -> Value {
        self.try_run(script, args).await.unwrap_or_else(|error| panic!("script failed: {error}\n{script}"))
    }

    async fn try_run(&self, script: &str, args: &[Value]) -> Result<Value, CmdError> {
        let body = format!("{PAGE_FUNCTIONS}\nconst args = arguments;\n{script}");
        self.client.execute(&body, args.to_vec()).await
    }

    /// Waits until the script returns something true.
    pub async fn wait_for(&self, what: &str, script: &str) {
        self.wait_with(what, script, &[]).await;
    }

    /// [`Page::wait_for`] with arguments; gives back what the script returned.
    pub async fn wait_with(&self, what: &str, script: &str, args: &[Value]) -> Value {
        let deadline = Instant::now() + DEADLINE;
        loop {
            // A page that is just being replaced has no scripts for a moment.
            let last = match self.try_run(script, args).await {
                Ok(value) if truthy(&value) => return value,
                Ok(value) => value,
                Err(error) => json!(error.to_string()),
            };
            if Instant::now() >= deadline {
                let outline = self.try_run("return page.outline()", &[]).await.unwrap_or_default();
                let outline = outline.as_str().unwrap_or("(no page)").to_owned();
                panic!("waited {DEADLINE:?} for {what}; last answer {last}\n{outline}");
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// The first element of this role and exactly this name.
    pub async fn find(&self, role: &str, name: &str) -> Found {
        self.query(role, name, How::Is).await
    }

    /// The first element of this role whose name starts so. Rows carry their state after the title.
    pub async fn find_starting(&self, role: &str, name: &str) -> Found {
        self.query(role, name, How::Starts).await
    }

    /// The first element of this role whose name holds these words.
    pub async fn find_holding(&self, role: &str, name: &str) -> Found {
        self.query(role, name, How::Holds).await
    }

    async fn query(&self, role: &str, name: &str, how: How) -> Found {
        let what = format!("{role} \"{name}\" ({how:?})");
        let script = "return page.first(args[0], args[1], args[2])";
        let answer = self.wait_with(&what, script, &[json!(role), json!(name), json!(how.word())]).await;
        self.element(&answer)
    }

    /// The session row with this title.
    pub async fn row(&self, title: &str) -> Found {
        let script = "return page.all('row', args[0], 'starts').find((row) => row.dataset.sessionId) ?? null";
        let answer = self.wait_with(&format!("the row {title:?}"), script, &[json!(title)]).await;
        self.element(&answer)
    }

    /// Waits until no session row has this title.
    pub async fn no_row(&self, title: &str) {
        let script = "return !page.all('row', args[0], 'starts').some((row) => row.dataset.sessionId)";
        self.wait_with(&format!("no row {title:?}"), script, &[json!(title)]).await;
    }

    /// Waits until nothing of this role and name is in view.
    pub async fn gone(&self, role: &str, name: &str) {
        let script = "return !page.first(args[0], args[1])";
        self.wait_with(&format!("{role} {name:?} to go"), script, &[json!(role), json!(name)]).await;
    }

    /// Waits until an element of this role reads these words somewhere in its text (toasts, hints, cards).
    pub async fn reads(&self, role: &str, words: &str) -> Found {
        let script =
            "return page.all(args[0]).find((element) => page.text(element).includes(args[1])) ?? null";
        let answer =
            self.wait_with(&format!("{role} reading {words:?}"), script, &[json!(role), json!(words)]).await;
        self.element(&answer)
    }

    /// How many elements of this role and name are in view now.
    pub async fn count(&self, role: &str, name: Option<&str>) -> u64 {
        let script = "return page.all(args[0], args[1] ?? undefined).length";
        self.run(script, &[json!(role), json!(name)]).await.as_u64().expect("a length is a number")
    }

    pub async fn click(&self, role: &str, name: &str) {
        let found = self.find(role, name).await;
        self.click_on(&found).await;
    }

    /// A left click in the middle of an element.
    pub async fn click_on(&self, element: &Found) {
        self.bring_into_view(element).await;
        element.click().await.expect("an element in view takes a click");
    }

    /// Scrolls until the element is in view, stands still and is what a click in its middle would meet. WebKit's
    /// driver does not scroll boxes inside the page (measured: "element not interactable" for a row below the fold),
    /// and a list that is still measuring its rows, or closing up, moves them once more. Still is what no animation
    /// moves and what two frames found in the same place: between two frames nothing moves, and on a busy machine a
    /// frame lasts longer than a poll.
    async fn bring_into_view(&self, element: &Found) {
        let free = "const [element] = args;
            element.scrollIntoView({ block: 'nearest' });
            const { x, y, width, height } = element.getBoundingClientRect();
            const place = `${x} ${y}`;
            if (element.watched?.place !== place) {
                const watched = { place, frames: 0 };
                const count = () => { if (++watched.frames < 2) requestAnimationFrame(count); };
                requestAnimationFrame(count);
                element.watched = watched;
                return false;
            }
            const moves = (node) => node !== null && (node.getAnimations().some((animation) =>
                animation.playState === 'running' && animation.effect.getComputedTiming().endTime !== Infinity)
                || moves(node.parentElement));
            if (element.watched.frames < 2 || moves(element)) return false;
            if (!element.contains(document.elementFromPoint(x + width / 2, y + height / 2))) return false;
            element.watched = undefined;
            return true";
        self.wait_with("an element to stand free in view", free, &[reference(element)]).await;
    }

    /// Ctrl and a left click, the way a person archives a row.
    pub async fn ctrl_click(&self, element: &Found) {
        self.bring_into_view(element).await;
        let control = char::from(Key::Control);
        let keys = KeyActions::new("keys".into())
            .then(KeyAction::Down { value: control })
            .then(KeyAction::Pause { duration: Duration::ZERO })
            .then(KeyAction::Pause { duration: Duration::ZERO })
            .then(KeyAction::Pause { duration: Duration::ZERO })
            .then(KeyAction::Up { value: control });
        let pause = PointerAction::Pause { duration: Duration::ZERO };
        let mouse = MouseActions::new("mouse".into())
            .then(pause.clone())
            .then(middle_of(element))
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT })
            .then(pause);
        self.perform(Actions::from(keys).and(mouse)).await;
    }

    /// Presses the keys together in this order and lets them go in reverse, for whatever has the focus.
    pub async fn press(&self, chord: &[char]) {
        let mut keys = KeyActions::new("keys".into());
        for &value in chord {
            keys = keys.then(KeyAction::Down { value });
        }
        for &value in chord.iter().rev() {
            keys = keys.then(KeyAction::Up { value });
        }
        self.perform(keys).await;
    }

    async fn perform(&self, actions: impl Into<Actions>) {
        self.client.perform_actions(actions).await.expect("the driver performs the actions");
        self.client.release_actions().await.expect("the driver lets go of keys and buttons");
    }

    /// Gives the element the keyboard focus, as Tab would.
    pub async fn focus(&self, element: &Found) {
        self.run("args[0].focus()", &[reference(element)]).await;
    }

    /// Types into the focused field.
    pub async fn type_into(&self, role: &str, name: &str, text: &str) {
        let field = self.find(role, name).await;
        self.click_on(&field).await;
        field.send_keys(text).await.expect("a field takes keys");
    }

    /// Saves what the web view shows as `screenshots/<name>.png` in the target folder.
    pub async fn screenshot(&self, name: &str) -> PathBuf {
        let folder = target_folder().join("screenshots");
        std::fs::create_dir_all(&folder).expect("a folder for screenshots");
        let path = folder.join(name).with_extension("png");
        let picture = self.client.screenshot().await.expect("the driver takes a picture");
        std::fs::write(&path, picture).expect("the picture is saved");
        path
    }

    /// Runs axe on the page and fails on anything serious or critical.
    pub async fn axe_finds_nothing_serious(&self, view: &str) {
        let found = self.axe(view).await;
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    /// What axe finds on the page that is serious or critical, each with the view's name before it.
    pub async fn axe(&self, view: &str) -> Vec<String> {
        self.axe_with(view, json!({})).await
    }

    /// [`Page::axe`] of the colours alone: all that another theme changes.
    pub async fn axe_contrast(&self, view: &str) -> Vec<String> {
        self.axe_with(view, json!({ "runOnly": ["color-contrast"] })).await
    }

    async fn axe_with(&self, view: &str, options: Value) -> Vec<String> {
        // A colour half-way through its change is nobody's contrast. Two frames let a change begin; what turns for ever
        // is not waited for.
        let still = "const done = arguments[arguments.length - 1];
            requestAnimationFrame(() => requestAnimationFrame(() => Promise.allSettled(document.getAnimations()
                .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
                .map((animation) => animation.finished)).then(() => done(true))));";
        self.client.execute_async(still, Vec::new()).await.expect("the page comes to rest");
        if self.run("return typeof window.axe", &[]).await == "undefined" {
            let source = std::fs::read_to_string(repository().join("ui/node_modules/axe-core/axe.min.js"))
                .expect("axe-core is installed by npm ci in ui");
            self.client.execute(&source, Vec::new()).await.expect("axe loads");
        }
        let script = "const done = arguments[arguments.length - 1];
            // Nothing is loaded beforehand: its two rules about that are not ours, and media take it seconds.
            axe.run(document, { resultTypes: ['violations'], preload: false, ...arguments[0] }).then(
                (result) => done(result.violations
                    .filter((violation) => ['serious', 'critical'].includes(violation.impact))
                    .map((violation) => `${violation.id} (${violation.impact}): ${violation.help}\\n`
                        + violation.nodes.map((node) => '  ' + node.html + ' ' + node.failureSummary).join('\\n'))),
                (error) => done(['axe failed: ' + error]));";
        let found = self.client.execute_async(script, vec![options]).await.expect("axe answers");
        let found: Vec<String> = serde_json::from_value(found).expect("axe answers a list of texts");
        found.into_iter().map(|words| format!("axe on {view}: {words}")).collect()
    }

    fn element(&self, answer: &Value) -> Found {
        let id = answer.get(ELEMENT_KEY).and_then(Value::as_str);
        let id = id.unwrap_or_else(|| panic!("not an element: {answer}"));
        Element::from_element_id(self.client.clone(), ElementRef::from(id.to_owned()))
    }
}

/// An element as an argument of a script.
pub fn reference(element: &Found) -> Value {
    json!({ ELEMENT_KEY: element.element_id().as_ref() })
}

fn middle_of(element: &Found) -> PointerAction {
    PointerAction::MoveToElement { element: element.clone(), duration: None, x: 0.0, y: 0.0 }
}

fn truthy(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value != &json!(0) && value != &json!("")
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests lies in the repository")
}

/// Cargo's target folder: this test's binary lies in its `debug/deps`.
pub fn target_folder() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its own binary");
    own.ancestors().nth(3).expect("the binary lies in target/debug/deps").to_owned()
}
