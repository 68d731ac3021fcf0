//! Who may connect, and what a browser may do with the pages.
//!
//! - **Host**: a page of another site whose name was rebound to this machine's address still sends its own name. On
//!   loopback only loopback names and addresses pass; on the network any address does, because rebinding needs a name.
//! - **Origin**: browsers name the page that opens a WebSocket; it has to be ours. Programs that are no browsers send none.
//! - **Token**: on the network every session needs the random token of the printed link. It comes in the link's fragment,
//!   which browsers send nowhere; the page keeps it for its own origin and says it in `hello`. A cookie would reach every
//!   other port of this machine. The pages themselves hold nothing of anybody and need none.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::Studio;

/// Who may connect.
#[derive(Clone, Default)]
pub enum Access {
    /// Browsers on this machine.
    #[default]
    Loopback,
    /// Whoever has the token.
    Token(String),
}

impl std::fmt::Debug for Access {
    /// Keeps the token out of logs.
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(match self {
            Access::Loopback => "Loopback",
            Access::Token(_) => "Token(…)",
        })
    }
}

impl Access {
    /// A fresh token of 128 random bits.
    pub fn random_token() -> Result<Access, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Access::Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }
}

/// What every answer tells the browser: our own files only, in no other site's frame, no guessing of types.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// Refuses requests that are not ours to answer; runs before everything else.
pub(crate) async fn guard(State(studio): State<Studio>, request: Request, next: Next) -> Response {
    let mut response = match check(&studio.config.access, request.headers()) {
        Ok(()) => next.run(request).await,
        Err((status, message)) => (status, message).into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, value);
    }
    response
}

type Refused = (StatusCode, &'static str);

fn check(access: &Access, headers: &HeaderMap) -> Result<(), Refused> {
    let host: Authority = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .and_then(|host| host.parse().ok())
        .ok_or((StatusCode::BAD_REQUEST, "A request names its host.\n"))?;
    if !is_our_host(access, host.host()) {
        return Err((StatusCode::FORBIDDEN, "This studio does not answer under that name. Use the printed address.\n"));
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let ours = origin.to_str().ok().and_then(|origin| origin.split_once("://")).is_some_and(|(scheme, from)| {
            (scheme == "http" || scheme == "https") && from.eq_ignore_ascii_case(host.as_str())
        });
        if !ours {
            return Err((StatusCode::FORBIDDEN, "Other sites may not use this studio.\n"));
        }
    }
    Ok(())
}

/// Whether a host may be asked for. Brackets around IPv6 addresses are part of the name.
fn is_our_host(access: &Access, host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match (bare.parse::<IpAddr>(), access) {
        (Ok(address), Access::Loopback) => address.is_loopback(),
        (Ok(_), Access::Token(_)) => true,
        (Err(_), _) => bare.eq_ignore_ascii_case("localhost"),
    }
}
