//! "About", and the diagnostics that a person may pass on.

use super::media::transport_setting;
use super::redact::redacted;
use super::{App, off_thread};
use crate::store::{SCHEMA, home};
use std::path::Path;
use talaria_wire::*;

/// Log lines in the diagnostics.
const LOG_LINES: usize = 200;

/// Titles that are looked for in the log: those of the newest sessions, the trash included.
const TITLES: u32 = 2_000;

pub(super) async fn about_get(app: &App, _: &ClientId, _: Empty) -> Result<About, IpcError> {
    let status = app.boot.status();
    let mut facts = app.facts.to_vec();
    facts.push(("Media playback".to_owned(), app.media.words(transport_setting(app).await)));
    off_thread(move || {
        let (home_bytes, store_bytes) = home::sizes(Path::new(&status.home));
        About { version: status.version, schema: SCHEMA, home: status.home, home_bytes, store_bytes, facts }
    })
    .await
}

pub(super) async fn diagnostics_get(app: &App, client: &ClientId, _: Empty) -> Result<Diagnostics, IpcError> {
    let about = about_get(app, client, Empty {}).await?;
    let status = app.boot.status();
    // What does not answer is left out: diagnostics are for when something is wrong.
    let (mut settings, mut counts, mut titles) = (None, None, Vec::new());
    if let Ok(ready) = app.boot.ready() {
        settings = ready.store.settings_get().await.ok();
        counts = ready.store.counts().await.ok();
        titles = ready.store.newest_titles(TITLES).await.unwrap_or_default();
    }
    let health = app.checks.last();
    let user_home = app.user_home.clone();
    off_thread(move || {
        let mut text = summary(&about, &status, counts.as_ref(), settings.as_ref(), health.as_ref());
        text.push_str("\nLog\n");
        for line in home::log_lines(Path::new(&status.home), LOG_LINES) {
            text.push_str(&line);
            text.push('\n');
        }
        Diagnostics { text: redacted(&text, &user_home, Path::new(&status.home), &titles) }
    })
    .await
}

fn summary(
    about: &About,
    status: &BootStatus,
    counts: Option<&SessionCounts>,
    settings: Option<&Settings>,
    health: Option<&HealthReport>,
) -> String {
    let mut lines = vec![
        format!("Talaria {} on {}", about.version, status.platform),
        format!("Schema {}", about.schema),
        format!("Data folder {} ({} bytes, the store {})", about.home, about.home_bytes, about.store_bytes),
    ];
    lines.extend(about.facts.iter().map(|(name, value)| format!("{name}: {value}")));
    lines.push(format!("Start: {:?}", status.phase));
    if let Some(failure) = &status.failure {
        lines.push(format!("Failed: {:?}, {}. {}", failure.code, failure.title, failure.message));
    }
    if let Some(trouble) = &status.trouble {
        let of = |n: Option<i64>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
        let read = format!("{} of {} sessions read", of(trouble.readable), of(trouble.total));
        lines.push(format!("Reading only: {:?}, {}; {read}", trouble.code, trouble.title));
        lines.extend(trouble.found.iter().map(|found| format!("  {found}")));
    }
    if let Some(days) = status.clock_jump_days {
        lines.push(format!("The clock moved by {days} days"));
    }
    if let Some(counts) = counts {
        let SessionCounts { active, archived, trash, pinned, .. } = counts;
        lines.push(format!(
            "Sessions: {active} active ({pinned} pinned), {archived} archived, {trash} in the trash"
        ));
    }
    lines.extend(settings.into_iter().flat_map(plain_settings));
    if let Some(health) = health {
        lines.push(format!("Last check, at {}", health.checked_at));
        let items = health.items.iter();
        lines.extend(items.map(|item| format!("  {}: {:?}. {}", item.name, item.state, item.words)));
    }
    lines.join("\n") + "\n"
}

/// The settings that are a switch, a number or one of a few words. Lists hold folders.
fn plain_settings(settings: &Settings) -> Vec<String> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(settings) else { return Vec::new() };
    let plain = |value: &serde_json::Value| value.is_boolean() || value.is_number();
    fields
        .iter()
        .filter(|(name, value)| {
            plain(value) || matches!(name.as_str(), "theme" | "media_transport" | "row_click")
        })
        .map(|(name, value)| format!("{name} = {}", value.to_string().trim_matches('"')))
        .collect()
}
