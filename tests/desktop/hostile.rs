//! Hostile messages in the real page under the real policy (field report F7): nothing runs, nothing is drawn that could,
//! and no request leaves. The tables of `ui/src/markdown` hold each case alone; here they meet WebKit.

use crate::steps::{bring_in_sessions, open_app, open_session};
use app_tests::desktop::{App, Page, Stage};
use app_tests::hermes_file::Line;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// What a message may try. `RUN` becomes a script that would be noticed, `AWAY` a server that would.
const TRICKS: &[&str] = &[
    // Scripts and handlers.
    "<script>RUN</script>",
    "<script src=http://AWAY/a.js></script>",
    "a <img src=x onerror=\"RUN\"> b",
    "<img src=x onerror=RUN>",
    "<IMG SRC=x oNeRrOr=RUN>",
    "<img/src=x/onerror=RUN>",
    "<svg onload=RUN>",
    "<svg><script>RUN</script></svg>",
    "<svg><animate onbegin=RUN attributeName=x dur=1s></svg>",
    "<svg><a xlink:href=\"javascript:RUN\"><text y=20>x</text></a></svg>",
    "<body onload=RUN>",
    "<details open ontoggle=RUN><summary>x</summary></details>",
    "<input autofocus onfocus=RUN>",
    "<video><source onerror=RUN></video>",
    "<audio src=http://AWAY/a.mp3 autoplay onerror=RUN></audio>",
    "<marquee onstart=RUN>x</marquee>",
    "<b <script>RUN</script>>",
    "<b\nonclick=RUN\n>x</b>",
    "<!--><script>RUN</script>-->",
    "<![CDATA[<script>RUN</script>]]>",
    "<?php <script>RUN</script> ?>",
    "<noscript><p title=\"</noscript><img src=x onerror=RUN>\">",
    "<template><script>RUN</script></template>",
    "<xmp><p title=\"</xmp><img src=x onerror=RUN>\">",
    // What the parser turns into something else.
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=RUN&gt;\">",
    "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=RUN>",
    "<svg></p><style><a id=\"</style><img src=1 onerror=RUN>\">",
    "<math><annotation-xml encoding=\"text/html\"><img src=x onerror=RUN></annotation-xml></math>",
    "<svg><foreignObject><img src=x onerror=RUN></foreignObject></svg>",
    "| a |\n|---|\n| <img src=x onerror=RUN> |",
    "> - # <iframe srcdoc=\"<script>RUN</script>\"></iframe>",
    "- **<a href=\"javascript:RUN\">x**</a>",
    "[![x](javascript:RUN)](javascript:RUN)",
    "`<script>RUN</script>` and ``` <img src=x onerror=RUN> ```",
    "&lt;script&gt;RUN&lt;/script&gt; &#60;img src=x onerror=RUN&#62;",
    "```html title=\"<img src=x onerror=RUN>\"\n<script>RUN</script>\n```",
    "```<script>RUN</script>\nx\n```",
    "```mermaid\ngraph TD; A[\"<img src=x onerror=RUN>\"] --> B; click A \"javascript:RUN\"; click B call RUN\n```",
    // Addresses.
    "[x](javascript:RUN)",
    "[x](JaVaScRiPt:RUN)",
    "[x](java&#115;cript&colon;RUN)",
    "[x](&#x6A;avascript:RUN)",
    "[x](<java\tscript:RUN>)",
    "[x](\u{1}javascript:RUN)",
    "[x](javascript&#58;RUN)",
    "[x](%6Aavascript:RUN)",
    "[x](view-source:javascript:RUN)",
    "[x](blob:javascript:RUN)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](DATA:text/html,<script>RUN</script>)",
    "[x](vbscript:RUN)",
    "[x](file:///etc/passwd)",
    "[x](//AWAY/x)",
    "[x](hermes-media://localhost/x)",
    "[x](ipc://localhost/session_delete)",
    "[x](tauri://localhost)",
    "[r]\n\n[r]: javascript:RUN \"t\"",
    "<javascript:RUN> <JAVASCRIPT:RUN> <data:text/html,RUN>",
    "javascript:RUN data:text/html,RUN vbscript:RUN",
    "![x](javascript:RUN)",
    "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    "![x](data:text/html,<script>RUN</script>)",
    "![x](file:///etc/hostname)",
    "<a href=\"javascript:RUN\">x</a> <a href=\" &#14; javascript:RUN\">x</a>",
    "<a href=http://AWAY/a ping=http://AWAY/ping>x</a>",
    "[x](https://ok.example \"a\\\" onmouseover=\\\"RUN\")",
    "[x](https://ok.example/\"onmouseover=\"RUN)",
    "[https://bank.example](http://AWAY/phish)",
    "[x](http://bank.example@AWAY/x)",
    "[x](https://\u{430}pple.com) [x](https://ok.example/\u{202e}gpj.exe)",
    // Frames, forms, the page itself.
    "<iframe src=http://AWAY/frame></iframe>",
    "<iframe src=javascript:RUN></iframe>",
    "<iframe srcdoc=\"<script>parent.RUN</script>\"></iframe>",
    "<frameset><frame src=javascript:RUN></frameset>",
    "<object data=\"data:text/html,<script>RUN</script>\"></object>",
    "<object data=http://AWAY/o></object><embed src=http://AWAY/e><applet code=x></applet>",
    "<form action=http://AWAY/form><input name=q><button>Send</button></form>",
    "<button form=x formaction=javascript:RUN>x</button>",
    "<meta http-equiv=refresh content=\"0;url=http://AWAY/meta\">",
    "<meta http-equiv=Content-Security-Policy content=\"img-src *\">",
    "<base href=http://AWAY/base/>",
    "<dialog open>x</dialog>",
    "<portal src=http://AWAY/p></portal>",
    // Names that would stand before the page's own.
    "<p id=app name=body>x</p><a id=location href=x>x</a><img name=cookie><form name=body></form>",
    "<form id=__TAURI_INTERNALS__><input name=invoke></form>",
    "<input id=webkit><a name=getElementById>x</a>",
    // Over the rest of the window.
    "<div style=\"position:fixed;inset:0;z-index:9999;background:red\">x</div>",
    "<p class=\"toast menu scrim\" role=alert tabindex=0 contenteditable hidden>x</p>",
    "<style>* { display: none } body { background: url(http://AWAY/style) }</style>",
    "<style>@import url(http://AWAY/import.css); @font-face { font-family: x; src: url(http://AWAY/f) }</style>",
    // Fetching.
    "![x](http://AWAY/image.png)",
    "text ![x](http://AWAY/inline.png \"title\") text",
    "![x](ftp://AWAY/image.png)",
    "![x](//AWAY/image.png)",
    "![x](HTTP://AWAY/IMAGE.PNG)",
    "![x][p]\n\n[p]: http://AWAY/reference.png",
    "[![x](http://AWAY/nested.png)](http://AWAY/link)",
    "<img src=http://AWAY/raw.png>",
    "<img srcset=\"http://AWAY/1x.png 1x, http://AWAY/2x.png 2x\" loading=eager>",
    "<picture><source srcset=http://AWAY/source.png><img></picture>",
    "<input type=image src=http://AWAY/input.png>",
    "<body background=http://AWAY/background.png><table background=http://AWAY/table.png><tr><td>x</table>",
    "<video src=http://AWAY/v.mp4 poster=http://AWAY/poster.png autoplay></video>",
    "<svg><image href=http://AWAY/svg.png /><use href=http://AWAY/use.svg#x /></svg>",
    "<div style=\"background:url(http://AWAY/attr)\">x</div>",
    "<link rel=stylesheet href=http://AWAY/l.css><link rel=prefetch href=http://AWAY/pre>",
    "<link rel=preconnect href=http://AWAY><link rel=dns-prefetch href=//AWAY><link rel=preload as=image href=http://AWAY/l>",
    "<link rel=icon href=http://AWAY/icon><link rel=manifest href=http://AWAY/manifest>",
    "<track src=http://AWAY/t.vtt><bgsound src=http://AWAY/b.mp3>",
    "MEDIA:http://AWAY/remote.mp4",
    "MEDIA:http://AWAY/remote.png",
    "MEDIA:\\\\AWAY\\share\\x.mp4",
    "MEDIA://AWAY/share/x.mp4",
    "MEDIA:file://AWAY/share/x.png",
    // Math.
    "$\\href{javascript:RUN}{x}$ $\\url{javascript:RUN}$",
    "$\\includegraphics{http://AWAY/math.png}$",
    "$\\includegraphics[height=1em]{javascript:RUN}$",
    "$\\htmlId{app}{x} \\htmlClass{toast}{x} \\htmlStyle{position:fixed}{x} \\htmlData{a=b}{x}$",
    "$\\text{<img src=x onerror=RUN>}$ $<img src=x onerror=RUN>$",
    "$\\rule{9999em}{9999em}$ $\\kern-999em x$ $\\raisebox{999em}{x}$",
    "$\\def\\a{\\a\\a}\\a$ $\\undefined<script>RUN</script>$",
    "$$\\begin{array}{c}\\href{data:text/html,RUN}{y}\\end{array}$$",
    "$\\color{red;background:url(http://AWAY/color)}{x}$",
];

/// What a page would notice when one of these had run. Set before the hostile session is opened.
const WATCH: &str = "
    window.watched = { ran: [], refused: [], at: location.href, history: history.length,
        names: new Set(Object.getOwnPropertyNames(window)) };
    for (const name of ['alert', 'confirm', 'prompt', 'open', 'print']) {
        window[name] = () => { window.watched.ran.push(name); return null; };
    }
    document.addEventListener('securitypolicyviolation',
        (event) => window.watched.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
    return true";

/// Everything in the page that should not be there, in words. Our own icons are the only `svg` outside of formulas.
const FOUND: &str = r#"
    const found = [];
    const log = page.first('log', 'Transcript');
    // A file of this computer leads to a question, never to the file; one of another computer is no link.
    const leadsToFile = (link) => link.matches('a.md-file') && link.host === '' && !link.pathname.startsWith('//');
    const FORBIDDEN = /^(script|style|link|meta|base|iframe|frame|frameset|object|embed|applet|portal|form|input|select|textarea|dialog|template|video|audio|source|track|picture|marquee|bgsound|foreignobject|image|use|animate|set|a:a|annotation|annotation-xml|mglyph|maction)$/;
    for (const element of log.querySelectorAll('*')) {
        const name = element.localName;
        if (FORBIDDEN.test(name)) found.push(`element ${name}`);
        const inText = element.closest('.markdown') !== null;
        const inMath = element.closest('.katex') !== null;
        if (inText && !inMath && element.namespaceURI !== 'http://www.w3.org/1999/xhtml'
            && !element.closest('.lucide')) found.push(`namespace of ${name}`);
        for (const { name: attribute, value } of element.attributes) {
            if (/^on|^(srcdoc|srcset|formaction|action|ping|background|poster|xlink:href|contenteditable|autofocus)$/i
                .test(attribute)) found.push(`${name} ${attribute}`);
            if (inText && /^(id|name)$/i.test(attribute) && !element.closest('button')) found.push(`${name} ${attribute}=${value}`);
            if (inText && attribute === 'style' && !inMath && !element.closest('button')) found.push(`${name} style=${value}`);
            if (/url\(|expression|position:\s*fixed/i.test(attribute === 'style' ? value : '')) found.push(`style ${value}`);
            if (attribute === 'href' && !/^(https?:\/\/|mailto:)/.test(value) && !leadsToFile(element)) found.push(`href ${value}`);
            if (attribute === 'src' && !/^(data:image\/(png|jpeg|gif|webp);base64,|hermes-media:)/.test(value)) found.push(`src ${value}`);
        }
    }
    for (const link of log.querySelectorAll('a')) {
        if (!['http:', 'https:', 'mailto:'].includes(link.protocol) && !leadsToFile(link)) found.push(`link ${link.href}`);
    }
    const { ran, refused, at, history: length, names } = window.watched;
    found.push(...ran.map((what) => `ran ${what}`), ...refused.map((what) => `refused by the policy: ${what}`));
    if (window.ran !== undefined) found.push(`ran ${window.ran}`);
    if (location.href !== at || history.length !== length) found.push(`went to ${location.href}`);
    // Functions of the test's own scripts never stay; what came is from the page.
    found.push(...Object.getOwnPropertyNames(window).filter((name) => !names.has(name) && name !== 'watched').map((name) => `global ${name}`));
    if (document.querySelectorAll('base, iframe, frame, object, embed').length) found.push('a frame or a base');
    if (!(document.body instanceof HTMLBodyElement) || typeof document.cookie !== 'string'
        || typeof document.getElementById !== 'function' || document.forms.length !== 0
        || !(document.getElementById('app') instanceof HTMLElement)
        || document.getElementById('app').parentElement !== document.body) found.push('a name of the page was taken');
    // Nothing stands over the sidebar, the header or the composer.
    const frame = log.getBoundingClientRect();
    for (const [x, y] of [[20, 20], [frame.left + 40, frame.top - 20], [frame.left + 60, frame.bottom + 30]]) {
        const over = document.elementFromPoint(x, y);
        if (over && log.contains(over)) found.push(`${over.localName} over the window at ${x}, ${y}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push('the window scrolls sideways');
    return found"#;

/// Opens what is folded up in view, then goes one screen up. False at the top, where everything is open and read.
const ONWARDS: &str = "const log = page.first('log', 'Transcript');
    const shut = [...log.querySelectorAll('button[aria-expanded=false]')].filter((button) => !button.dataset.opened);
    for (const button of shut) { button.dataset.opened = ''; button.click(); }
    if (log.getAttribute('aria-busy') === 'true') return 'reading';
    if (shut.length) return 'opened';
    if (log.scrollTop <= 0) return 'top';
    log.scrollTop = Math.max(0, log.scrollTop - log.clientHeight * 0.7);
    return 'moved'";

/// A server that everything in the messages names. It answers nobody: a connection is all it wants to know of.
struct Away(TcpListener);

impl Away {
    fn listen() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a listener that can be asked");
        Self(listener)
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.0.local_addr().expect("an address").port())
    }

    /// Connections since the last look; the system keeps them until they are taken.
    fn connections(&self) -> usize {
        let mut count = 0;
        loop {
            match self.0.accept() {
                Ok(_) => count += 1,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return count,
                Err(error) => panic!("the listener failed: {error}"),
            }
        }
    }
}

fn written(trick: &str, number: usize, away: &str) -> String {
    trick.replace("RUN", &format!("window.ran={number}")).replace("AWAY", away)
}

/// Reads the whole transcript from its end to its beginning, and judges every screen.
async fn nothing_is_found(page: &Page) {
    let mut last = Value::Null;
    loop {
        let found = page.run(FOUND, &[]).await;
        assert_eq!(found, json!([]), "in the page");
        let step = page.run(ONWARDS, &[]).await;
        if step == "top" && last == "top" {
            break;
        }
        last = step;
        // A frame or two, so that what came with the step is drawn.
        let drawn = "const done = arguments[arguments.length - 1];
            requestAnimationFrame(() => requestAnimationFrame(() => done(true)))";
        page.client().execute_async(drawn, Vec::new()).await.expect("the page draws");
    }
}

/// The policy stands and is seen to: what the page itself asks for from there is refused, and told.
async fn a_request_would_be_refused(page: &Page, away: &Away) {
    let ask = "const picture = new Image(); picture.src = args[0]; return true";
    page.run(ask, &[json!(format!("http://{}/control.png", away.address()))]).await;
    let told = "return window.watched.refused.some((what) => what.startsWith('img-src'))";
    page.wait_for("the refusal of a picture", told).await;
    assert_eq!(away.connections(), 0, "connections after a refused picture");
    // And the listener notices who comes.
    drop(TcpStream::connect(away.address()).expect("the listener takes connections"));
    assert_eq!(away.connections(), 1);
}

async fn no_dialog_stands(app: &App) {
    let dialog = app.page.client().get_alert_text().await;
    assert!(dialog.is_err(), "a dialog stands: {dialog:?}");
}

#[tokio::test]
async fn hostile_messages_run_nothing_and_fetch_nothing() {
    let away = Away::listen();
    let texts: Vec<String> =
        TRICKS.iter().enumerate().map(|(number, trick)| written(trick, number, &away.address())).collect();
    // Each as an answer beside others, all of them as one, and as the user's own words.
    let grouped: Vec<String> = texts.chunks(8).map(|chunk| chunk.join("\n\n")).collect();
    let together = texts.concat();
    let mut lines = Vec::new();
    for (number, text) in grouped.iter().enumerate() {
        lines.push(if number % 2 == 0 { Line::Assistant(text) } else { Line::User(text) });
    }
    lines.push(Line::Assistant(&together));
    let stage = Stage::new();
    bring_in_sessions(&stage, &[("Hostile", "/home/user/answers", &lines)]).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    page.run(WATCH, &[]).await;
    open_session(page, "Hostile").await;
    nothing_is_found(page).await;
    assert_eq!(away.connections(), 0, "connections while the session was read");
    page.screenshot("hostile-messages").await;
    no_dialog_stands(&app).await;
    a_request_would_be_refused(page, &away).await;
    app.close().await;
}

#[tokio::test]
async fn titles_folders_tools_and_notices_are_words_too() {
    let away = Away::listen();
    let hostile = |number: usize| {
        written("<img src=http://AWAY/x onerror=\"RUN\"><script>RUN</script>", number, &away.address())
    };
    let (title, folder, name, words) =
        (hostile(1), format!("/home/user/{}", hostile(2)), hostile(3), hostile(4));
    let arguments = json!({ "command": hostile(5), "path": "javascript:window.ran=6" }).to_string();
    let output = json!({ "output": hostile(7), "exit_code": 0, "error": null }).to_string();
    let notice = format!(
        "[IMPORTANT: Background process {} completed normally (exit code 0).\nCommand: {}\nOutput:\n{}\n]",
        "proc_1",
        hostile(8),
        hostile(9)
    );
    let child = format!("[ASYNC DELEGATION COMPLETE]\n{}", hostile(10));
    let lines = [
        Line::User(&words),
        Line::Tool { name: &name, arguments: &arguments, output: &output },
        Line::User(&notice),
        Line::User(&child),
        Line::Assistant("Done."),
    ];
    let stage = Stage::new();
    bring_in_sessions(&stage, &[(&title, &folder, &lines)]).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    page.run(WATCH, &[]).await;
    // Whole, as it was written: the title in row, header and menu, and the folder in its group.
    let shown = "return page.all('row', undefined).map((row) => page.text(row)).join(' ')";
    let rows = page.run(shown, &[]).await;
    assert!(rows.as_str().is_some_and(|rows| rows.contains("<script>window.ran=1</script>")), "{rows}");
    let row = page.find_starting("row", "<img src=http://").await;
    page.click_on(&row).await;
    page.find_starting("heading", "<img src=http://").await;
    page.wait_for("the notice", "return document.querySelector('article[data-role=notice]') !== null").await;
    nothing_is_found(page).await;
    let menu = page.find_starting("button", "Session menu").await;
    page.click_on(&menu).await;
    page.find_starting("menuitem", "Delete").await;
    page.screenshot("hostile-names").await;
    page.press(&[fantoccini::key::Key::Escape.into()]).await;
    page.type_into("searchbox", "Search sessions", "window.ran").await;
    page.find("treegrid", "Messages").await;
    let found = page.run(FOUND, &[]).await;
    assert_eq!(found, json!([]), "in the search results");
    assert_eq!(away.connections(), 0, "connections");
    no_dialog_stands(&app).await;
    a_request_would_be_refused(page, &away).await;
    app.close().await;
}
