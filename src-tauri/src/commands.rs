//! The command table as Tauri commands: one ordinary command a row, so that capabilities can tell windows apart. Each
//! takes the raw body and leaves decoding to the core, so that a bad argument is an error of our shape too (Tauri's
//! own are bare strings).

use crate::first_paint::FirstPaint;
use crate::links;
use crate::outside::Outside;
use crate::windows;
use serde_json::Value;
use std::path::PathBuf;
use talaria_core::command::{App, decode, dispatch, encode};
use talaria_wire::*;
use tauri::ipc::{Channel, Invoke, InvokeBody, JavaScriptChannelId, Request};
use tauri::{Builder, Manager, Runtime, State, WebviewWindow};
use tauri_plugin_dialog::DialogExt;

/// The JSON body of a call; a raw one fits no command.
fn body(request: &Request<'_>) -> Result<Value, IpcError> {
    match request.body() {
        InvokeBody::Json(value) => Ok(value.clone()),
        InvokeBody::Raw(_) => Err(IpcError::bad_request("A command takes JSON.")),
    }
}

macro_rules! core_rows {
    ($($name:ident($req:ty) -> $res:ty;)*) => {
        mod core_row {
            use super::*;
            $(
                #[tauri::command]
                pub(super) async fn $name<R: Runtime>(
                    window: WebviewWindow<R>,
                    app: State<'_, App>,
                    request: Request<'_>,
                ) -> Result<Value, IpcError> {
                    dispatch(&app, &ClientId::from(window.label()), stringify!($name), body(&request)?).await
                }
            )*

            pub(super) fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
                tauri::generate_handler![$($name),*]
            }
        }
    };
}
command_table!(core_rows);

macro_rules! desktop_rows {
    ($($name:ident($req:ty) -> $res:ty;)*) => {
        mod desktop_row {
            use super::*;
            $(
                #[tauri::command]
                pub(super) async fn $name<R: Runtime>(
                    window: WebviewWindow<R>,
                    request: Request<'_>,
                ) -> Result<Value, IpcError> {
                    let request: $req = decode(stringify!($name), body(&request)?)?;
                    let response: $res = super::$name(&window, request).await?;
                    encode(&response)
                }
            )*

            pub(super) fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
                tauri::generate_handler![$($name),*]
            }
        }
    };
}
desktop_command_table!(desktop_rows);

/// Opens the window's event channel in the place of its former one. The body is `{"channel": "__CHANNEL__:<id>"}`, as
/// the page's own library spells a channel.
#[tauri::command]
async fn window_attach<R: Runtime>(
    window: WebviewWindow<R>,
    app: State<'_, App>,
    request: Request<'_>,
) -> Result<(), IpcError> {
    let body = body(&request)?;
    let id: JavaScriptChannelId =
        body["channel"].as_str().and_then(|id| id.parse().ok()).ok_or_else(|| {
            IpcError::bad_request(format!("{WINDOW_ATTACH} takes a channel that the page has opened."))
        })?;
    let channel: Channel<EventEnvelope> = id.channel_on(window.as_ref().clone());
    let sink = move |envelope| {
        // "Sent" says nothing (a dead channel answers so too), so neither does an error: the page counts.
        if let Err(error) = channel.send(envelope) {
            tracing::debug!(%error, "an event did not leave");
        }
    };
    app.sinks.attach(ClientId::from(window.label()), Box::new(sink));
    Ok(())
}

async fn import_choose<R: Runtime>(window: &WebviewWindow<R>, _: Empty) -> Result<ImportRequest, IpcError> {
    let (answer, chosen) = tokio::sync::oneshot::channel();
    let mut dialog =
        window.dialog().file().set_title("Choose a Hermes store").add_filter("Hermes store", &["db"]);
    // Where Hermes keeps its store, if there is such a folder; else where the system's dialog begins.
    if let Some(folder) = window.state::<App>().import_from.parent().filter(|folder| folder.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    dialog.pick_file(move |file| {
        // The receiver is gone only when the window is.
        drop(answer.send(file));
    });
    let path = chosen.await.ok().flatten().and_then(|file| file.into_path().ok());
    Ok(ImportRequest { path: path.map(|path| path.display().to_string()) })
}

async fn link_open<R: Runtime>(
    window: &WebviewWindow<R>,
    request: LinkOpenRequest,
) -> Result<Empty, IpcError> {
    let url = links::checked(&request.url)?;
    window.state::<Outside>().open(url.as_str()).await.map_err(|error| {
        IpcError::new(ErrorCode::Internal, format!("The system has no program for this link: {error}."))
    })?;
    Ok(Empty {})
}

async fn file_open<R: Runtime>(
    window: &WebviewWindow<R>,
    request: FileOpenRequest,
) -> Result<Empty, IpcError> {
    let path = window.state::<App>().file_to_open(request).await?;
    window.state::<Outside>().open(path).await.map_err(|error| {
        IpcError::new(ErrorCode::Internal, format!("The system has no program for this file: {error}."))
    })?;
    Ok(Empty {})
}

async fn file_reveal<R: Runtime>(
    window: &WebviewWindow<R>,
    request: FileRevealRequest,
) -> Result<Empty, IpcError> {
    let path = window.state::<App>().file_to_reveal(request).await?;
    show_in_folder(window, path).await
}

async fn save_reveal<R: Runtime>(window: &WebviewWindow<R>, request: SaveRef) -> Result<Empty, IpcError> {
    let client = ClientId::from(window.label());
    let path = window.state::<App>().saved_to_reveal(&client, request).await?;
    show_in_folder(window, path).await
}

async fn show_in_folder<R: Runtime>(window: &WebviewWindow<R>, path: PathBuf) -> Result<Empty, IpcError> {
    window.state::<Outside>().reveal(&path).await.map_err(|error| {
        IpcError::new(
            ErrorCode::Internal,
            format!("The system has no file manager that shows this file: {error}."),
        )
    })?;
    Ok(Empty {})
}

async fn export_start<R: Runtime>(
    window: &WebviewWindow<R>,
    request: ExportRequest,
) -> Result<ExportStatus, IpcError> {
    let app = window.state::<App>().inner().clone();
    if let Some(running) = app.export_running() {
        return Ok(running);
    }
    // First: a session that is gone is said before the user is asked anything.
    let name = match &request.id {
        Some(id) => Some(app.export_name(id.clone(), request.format).await?),
        None => None,
    };
    let (answer, chosen) = tokio::sync::oneshot::channel();
    // The receiver is gone only when the window is.
    let take = move |path| drop(answer.send(path));
    let dialog = window.dialog().file();
    match name {
        Some(name) => {
            let kind = match request.format {
                ExportFormat::Markdown => "Markdown",
                ExportFormat::Json => "JSON",
                ExportFormat::Jsonl => "JSON Lines",
            };
            let dialog = dialog.set_title("Export session").set_file_name(name);
            dialog.add_filter(kind, &[request.format.extension()]).save_file(take);
        }
        None => dialog.set_title("Export all sessions into a folder").pick_folder(take),
    }
    match chosen.await.ok().flatten().and_then(|path| path.into_path().ok()) {
        Some(path) => app.export_to(request, path),
        None => Ok(ExportStatus::Idle),
    }
}

async fn media_save<R: Runtime>(
    window: &WebviewWindow<R>,
    request: MediaSaveRequest,
) -> Result<MediaSaveResponse, IpcError> {
    let app = window.state::<App>().inner().clone();
    // First: a file that cannot be had is said before the user is asked anything.
    let suggestion = app.save_suggestion(&request).await?;
    let folders = window.path();
    let own = match suggestion.kind {
        MediaKind::Audio => folders.audio_dir(),
        MediaKind::Video => folders.video_dir(),
        MediaKind::Picture => folders.picture_dir(),
    };
    let candidates = [folders.download_dir(), own, folders.home_dir()];
    let folder = candidates.into_iter().flatten().find(|folder| folder.is_dir());
    let mut dialog = window.dialog().file().set_title("Save a copy").set_file_name(suggestion.name);
    if let Some(folder) = folder {
        dialog = dialog.set_directory(folder);
    }
    let (answer, chosen) = tokio::sync::oneshot::channel();
    // The receiver is gone only when the window is.
    dialog.save_file(move |path| drop(answer.send(path)));
    match chosen.await.ok().flatten().and_then(|path| path.into_path().ok()) {
        Some(path) => app.save_to(&ClientId::from(window.label()), &request, path).await,
        None => Ok(MediaSaveResponse { id: None }),
    }
}

/// How far a page may be scaled, in percent.
const ZOOM: std::ops::RangeInclusive<u32> = 80..=200;

async fn window_open<R: Runtime>(
    window: &WebviewWindow<R>,
    request: WindowOpenRequest,
) -> Result<Empty, IpcError> {
    match request.id {
        Some(id) => windows::open_session(window, id).await?,
        None => windows::show_main(window.app_handle())?,
    }
    Ok(Empty {})
}

async fn app_quit<R: Runtime>(window: &WebviewWindow<R>, _: Empty) -> Result<Empty, IpcError> {
    window.app_handle().exit(0);
    Ok(Empty {})
}

async fn window_zoom<R: Runtime>(
    window: &WebviewWindow<R>,
    request: WindowZoomRequest,
) -> Result<Empty, IpcError> {
    let percent = request.percent.clamp(*ZOOM.start(), *ZOOM.end());
    window
        .set_zoom(f64::from(percent) / 100.0)
        .map_err(|error| IpcError::internal(format!("The window cannot be scaled: {error}.")))?;
    Ok(Empty {})
}

async fn window_painted<R: Runtime>(window: &WebviewWindow<R>, _: Empty) -> Result<Empty, IpcError> {
    window.state::<FirstPaint>().painted();
    Ok(Empty {})
}

async fn graphics_reset<R: Runtime>(window: &WebviewWindow<R>, _: Empty) -> Result<Empty, IpcError> {
    window.state::<FirstPaint>().accelerate_again().map_err(|error| {
        IpcError::new(ErrorCode::ReadOnly, format!("The choice could not be taken back: {error}. Try again."))
    })?;
    Ok(Empty {})
}

fn channel_handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![window_attach]
}

/// Registers every row.
pub(crate) fn register<R: Runtime>(builder: Builder<R>) -> Builder<R> {
    let core = core_row::handler();
    let desktop = desktop_row::handler();
    let channel = channel_handler();
    builder.invoke_handler(move |invoke| match invoke.message.command() {
        WINDOW_ATTACH => channel(invoke),
        name if DESKTOP_COMMANDS.contains(&name) => desktop(invoke),
        _ => core(invoke),
    })
}
