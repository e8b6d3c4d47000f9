//! A page that is loaded again in the middle of a stream.

use super::*;

/// Words of each piece: a few bytes and 20 KB in turn.
const BEFORE: [usize; 4] = [2, 3000, 1, 2];
const AFTER: [usize; 5] = [3000, 2, 1, 3000, 2];

/// A stream of pieces of very different sizes with a gate in its middle, the words before that, and all.
fn uneven() -> (Reply, usize, usize) {
    let mut at = 0;
    let mut piece = |count: &usize| {
        at += count;
        Step::Event(chunk(json!({ "content": words(at - count..at) })))
    };
    let mut reply = Reply::events([]);
    reply.steps.extend(BEFORE.iter().map(&mut piece));
    reply.steps.push(Step::Gate("1".to_owned()));
    reply.steps.extend(AFTER.iter().map(&mut piece));
    (reply.end("stop", BEFORE.len() + AFTER.len()), BEFORE.iter().sum(), at)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_loaded_again_in_mid_stream_has_the_whole_answer_once() {
    let connected = Connected::new().await;
    let (reply, half, all) = uneven();
    connected.server.say(reply);
    let app = connected.open().await;
    let page = &app.page;
    send(page, "Count for me").await;
    connected.server.reached("1").await;
    has_said(page, half).await;
    page.client().refresh().await.expect("the page loads again");
    has_said(page, half).await;
    connected.server.open("1");
    at_rest(page).await;
    has_said(page, all).await;
    assert_eq!(connected.server.unsaid(), 0);
    app.close().await;
}
