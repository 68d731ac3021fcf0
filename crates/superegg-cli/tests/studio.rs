//! `superegg` alone and `superegg studio`: the address is printed, the page is served, and the end is orderly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A running studio; killed when a test ends early.
struct Studio {
    child: Child,
    link: String,
}

impl Studio {
    /// Standard input is closed from the start.
    fn start(arguments: &[&str]) -> Studio {
        let mut child = Command::new(env!("CARGO_BIN_EXE_superegg"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let link = line.trim().strip_prefix("Superegg Studio: ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Studio { child, link }
    }

    fn get(&self, path: &str, host: &str) -> String {
        let address = self.link.trim_start_matches("http://").split('/').next().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = vec![];
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_program_alone_starts_the_studio() {
    let studio = Studio::start(&[]);
    assert!(studio.link.starts_with("http://127.0.0.1:"), "{}", studio.link);
    let page = studio.get("/", "127.0.0.1");
    assert!(page.contains("Superegg Studio"), "{page}");
    assert!(studio.get("/", "evil.example").starts_with("HTTP/1.1 403"));
}

#[test]
fn other_machines_need_the_token_of_the_link() {
    let studio = Studio::start(&["studio", "--host", "0.0.0.0", "--port", "0"]);
    // In the fragment, which browsers send nowhere: the page says it in its first message, without which the server's tests
    // show that nothing is answered.
    let (address, token) = studio.link.split_once("/#token=").unwrap();
    assert!(token.len() == 32 && address.starts_with("http://"), "{}", studio.link);
    let page = studio.get("/", address.trim_start_matches("http://"));
    assert!(page.starts_with("HTTP/1.1 200") && !page.contains(token), "{page}");
}

#[test]
fn a_taken_port_and_a_strange_host_are_refused() {
    let studio = Studio::start(&["studio", "--port", "0"]);
    let port = studio.link.trim_end_matches('/').rsplit(':').next().unwrap();
    let refused = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_superegg")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["studio", "--port", port]).contains(&format!("cannot listen on 127.0.0.1:{port}")));
    assert!(refused(&["studio", "--host", "everywhere"]).contains("give an IP address"));
}

#[cfg(unix)]
#[test]
fn a_request_to_terminate_ends_it_in_order() {
    let mut studio = Studio::start(&["studio", "--port", "0"]);
    for signal in ["-TERM", "-INT"] {
        let told = Command::new("kill").args([signal, &studio.child.id().to_string()]).status().unwrap();
        assert!(told.success());
        assert_eq!(studio.child.wait().unwrap().code(), Some(0), "{signal}");
        studio = Studio::start(&["studio", "--port", "0"]);
    }
}
