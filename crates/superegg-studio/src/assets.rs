//! The front end, embedded by the build script, or a page that says why there is none.

use axum::extract::Request;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};

/// A file of the front end.
struct Asset {
    /// As in its address, with a leading slash.
    path: &'static str,
    bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Answers with a file of the front end.
pub(crate) async fn serve(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    let path = match request.uri().path() {
        "/" => "/index.html",
        path => path,
    };
    match ASSETS.iter().find(|asset| asset.path == path) {
        Some(asset) => {
            // Everything but the page itself carries a hash of its content in its name.
            let lifetime = if path == "/index.html" { "no-cache" } else { "public, max-age=31536000, immutable" };
            let headers = [
                (header::CONTENT_TYPE, HeaderValue::from_static(content_type(path))),
                (header::CACHE_CONTROL, HeaderValue::from_static(lifetime)),
            ];
            (headers, asset.bytes).into_response()
        }
        None if path == "/index.html" => missing_page(MISSING.unwrap_or("The build left no page.")),
        None => (StatusCode::NOT_FOUND, "There is no such page.\n").into_response(),
    }
}

/// What the studio shows when its front end could not be built.
fn missing_page(reason: &str) -> Response {
    let reason = reason.replace('&', "&amp;").replace('<', "&lt;");
    let page = include_str!("missing.html").replace("REASON", &reason);
    (StatusCode::SERVICE_UNAVAILABLE, [(header::CACHE_CONTROL, "no-store")], Html(page)).into_response()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_there_is_a_page_or_a_reason_for_none() {
        let built = ASSETS.iter().any(|asset| asset.path == "/index.html");
        assert_ne!(built, MISSING.is_some());
        assert!(ASSETS.iter().all(|asset| !asset.bytes.is_empty() || !built));
    }

    #[tokio::test]
    async fn the_page_without_a_front_end_says_what_to_install() {
        let response = missing_page("npm is <not> here");
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let text = std::str::from_utf8(&body).unwrap();
        assert!(text.contains("npm is &lt;not> here") && text.contains("Node.js") && text.contains("cargo build"));
    }
}
