//! The listening server: its address, its token, its end.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::access::Access;
use crate::{Config, Limits, Studio, connections, router};

/// Where to listen.
#[derive(Clone, Copy, Debug)]
pub struct ServeOptions {
    /// Address to bind to; anything but loopback asks clients for a token.
    pub host: IpAddr,
    /// Port to bind to; `None` takes [`ServeOptions::PORT`] or, where that is taken, any free one.
    pub port: Option<u16>,
}

impl ServeOptions {
    /// The port without `--port`.
    pub const PORT: u16 = 7340;
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions { host: Ipv4Addr::LOCALHOST.into(), port: None }
    }
}

/// Why the studio could not start, or stopped.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// What was tried.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The system has no random numbers for a token.
    #[error("no random numbers for the token: {0}")]
    Random(getrandom::Error),
    /// The server broke.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// How long clients may take to go when the server stops.
const FAREWELL: Duration = Duration::from_secs(3);

/// Runs the studio until Ctrl-C or a request to terminate; `announce` is told the link to open.
pub fn serve(options: ServeOptions, announce: impl FnOnce(&str)) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        // Heard from here on, so that no signal after the announcement is missed.
        let stop = stop_signal();
        listen(options, announce, stop).await
    });
    // Computations that nobody waits for any more.
    runtime.shutdown_timeout(FAREWELL);
    outcome
}

async fn listen(
    options: ServeOptions,
    announce: impl FnOnce(&str),
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let listener = bind(options).await?;
    let access = if options.host.is_loopback() {
        Access::Loopback
    } else {
        Access::random_token().map_err(ServeError::Random)?
    };
    announce(&link(listener.local_addr()?, &access));
    let (close, closing) = watch::channel(false);
    let limits = Limits::default();
    let config = Config { access, limits: limits.clone(), ..Config::default() };
    let studio = Studio::new(config, closing.clone());
    let admission = studio.admission.clone();
    let accepting = connections::accept(listener, router(studio), &limits, closing);
    tokio::select! {
        () = accepting => {}
        () = stop => {}
    }
    close.send_replace(true);
    // All seats are free when every client has been told. Whoever will not go is left behind.
    let _ = tokio::time::timeout(FAREWELL, admission.until_empty(limits.clients)).await;
    Ok(())
}

async fn bind(options: ServeOptions) -> Result<TcpListener, ServeError> {
    let address = SocketAddr::new(options.host, options.port.unwrap_or(ServeOptions::PORT));
    match TcpListener::bind(address).await {
        Err(error) if options.port.is_none() && error.kind() == io::ErrorKind::AddrInUse => {
            let any = SocketAddr::new(options.host, 0);
            TcpListener::bind(any).await.map_err(|source| ServeError::Bind { address: any, source })
        }
        bound => bound.map_err(|source| ServeError::Bind { address, source }),
    }
}

/// The link to open: with the token where one is needed (in the fragment, which is sent nowhere), with this machine's own address where every one was asked for.
fn link(bound: SocketAddr, access: &Access) -> String {
    let ip =
        if bound.ip().is_unspecified() { outward_address().unwrap_or(Ipv4Addr::LOCALHOST.into()) } else { bound.ip() };
    let address = SocketAddr::new(ip, bound.port());
    match access {
        Access::Loopback => format!("http://{address}/"),
        Access::Token(token) => format!("http://{address}/#token={token}"),
    }
}

/// The address under which the network sees this machine. Connecting a datagram socket sends nothing.
fn outward_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address of the documentation range: it is only routed to, never reached.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Ctrl-C or the request to terminate, heard from the call on.
#[cfg(unix)]
fn stop_signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    async fn received(signal: std::io::Result<Signal>) {
        match signal {
            Ok(mut signal) => signal.recv().await.unwrap_or_default(),
            // Without signals the studio runs until it is killed.
            Err(_) => std::future::pending().await,
        }
    }
    let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async move {
        tokio::select! {
            () = received(interrupt) => {}
            () = received(terminate) => {}
        }
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
async fn stop_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without signals the studio runs until it is killed.
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_carries_the_token_only_where_one_is_needed() {
        let bound: SocketAddr = "127.0.0.1:80".parse().unwrap();
        assert_eq!(link(bound, &Access::Loopback), "http://127.0.0.1:80/");
        let lan: SocketAddr = "192.168.1.2:7340".parse().unwrap();
        assert_eq!(link(lan, &Access::Token("secret".into())), "http://192.168.1.2:7340/#token=secret");
        let six: SocketAddr = "[::1]:7340".parse().unwrap();
        assert_eq!(link(six, &Access::Loopback), "http://[::1]:7340/");
    }

    #[test]
    fn tokens_are_long_and_different() {
        let token = || match Access::random_token().unwrap() {
            Access::Token(token) => token,
            Access::Loopback => unreachable!(),
        };
        let (one, other) = (token(), token());
        assert!(one.len() == 32 && one != other, "{one} {other}");
    }

    #[tokio::test]
    async fn a_taken_port_is_refused_when_asked_for_and_stepped_over_when_not() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = taken.local_addr().unwrap().port();
        let asked = ServeOptions { port: Some(port), ..ServeOptions::default() };
        assert!(matches!(bind(asked).await, Err(ServeError::Bind { .. })));
        // Whether or not the usual port is free here, one is found.
        let first = bind(ServeOptions::default()).await.unwrap();
        let second = bind(ServeOptions::default()).await.unwrap();
        assert_ne!(first.local_addr().unwrap(), second.local_addr().unwrap());
    }

    #[tokio::test]
    async fn the_server_announces_itself_and_stops_when_told() {
        let (tell, told) = tokio::sync::oneshot::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let options = ServeOptions { port: Some(0), ..ServeOptions::default() };
        let server = tokio::spawn(listen(options, move |link| tell.send(link.to_owned()).unwrap(), async {
            stopped.await.unwrap_or_default()
        }));
        let link = told.await.unwrap();
        let address: SocketAddr = link.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
        let (mut client, _) = tokio_tungstenite::client_async(
            format!("ws://{address}/socket"),
            tokio::net::TcpStream::connect(address).await.unwrap(),
        )
        .await
        .unwrap();
        stop.send(()).unwrap();
        tokio::time::timeout(FAREWELL * 2, server).await.unwrap().unwrap().unwrap();
        // The client was told, not cut off.
        let farewell = futures_util::StreamExt::next(&mut client).await.unwrap().unwrap();
        assert!(farewell.is_close(), "{farewell:?}");
    }
}
