//! The part of HTTP/1.1 that a file server needs: requests without a body, and responses with a known length.
//!
//! Each connection has its own thread. This is sufficient for a browser on the same machine, which opens about six
//! connections, keeps them open, and may leave some of them silent. In a pool with fewer threads than connections, a
//! request could wait behind a silent connection.

use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// The maximum size of the head of a request, in bytes. The head that a browser sends has a few hundred bytes.
const HEAD_BYTES_MAX: u64 = 64 * 1024;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path and the query, exactly as sent.
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
}

/// A response. The header with the body's length is added when the response is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header, or an empty text if the request does not contain the header. Names are
    /// case-insensitive.
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self
            .headers
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    /// Reads the head of a request. Returns `None` if the connection ends, or if the bytes are not a valid request.
    fn read(from: &mut impl BufRead) -> Result<Option<Self>> {
        let mut head = from.take(HEAD_BYTES_MAX);
        let mut first = String::new();
        head.read_line(&mut first)?;
        let mut words = first.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Ok(None);
        };
        let mut request = Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
        };
        loop {
            let mut line = String::new();
            if head.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            match line.trim_end().split_once(':') {
                Some((name, value)) => request
                    .headers
                    .push((name.to_owned(), value.trim().to_owned())),
                None if line.trim_end().is_empty() => return Ok(Some(request)),
                None => return Ok(None),
            }
        }
    }

    /// Returns true if another request can follow on the same connection. This is not possible after a request with a
    /// body, because bodies are never read.
    fn keeps_alive(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD")
            && self.header("Content-Length").is_empty()
            && self.header("Transfer-Encoding").is_empty()
            && !self.header("Connection").eq_ignore_ascii_case("close")
    }
}

impl Answer {
    fn write(&self, to: &mut impl Write, with_body: bool) -> Result<()> {
        let mut bytes = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            bytes.push_str(&format!("{name}: {value}\r\n"));
        }
        // "Not modified" describes a body that is not sent, so a length of zero would be wrong.
        if self.status != 304 {
            bytes.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        bytes.push_str("\r\n");
        let mut bytes = bytes.into_bytes();
        if with_body {
            bytes.extend(&self.body);
        }
        to.write_all(&bytes)
    }
}

/// Serves connections until the process ends.
pub(super) fn accept(
    listener: &TcpListener,
    answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) {
    let answer = Arc::new(answer);
    for stream in listener.incoming().filter_map(Result::ok) {
        let answer = Arc::clone(&answer);
        // A browser that closes a connection early is not an error.
        std::thread::spawn(move || converse(stream, answer.as_ref()).ok());
    }
}

fn converse(stream: TcpStream, answer: &impl Fn(&Request) -> Answer) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = Request::read(&mut reader)? {
        answer(&request).write(&mut writer, request.method != "HEAD")?;
        if !request.keeps_alive() {
            break;
        }
    }
    Ok(())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        302 => "Found",
        304 => "Not Modified",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_one_after_the_other() {
        let mut bytes: &[u8] =
            b"GET /a?b HTTP/1.1\r\nHost: x\r\naccept-encoding:  br\r\n\r\nHEAD / HTTP/1.1\r\n\r\n";
        let first = Request::read(&mut bytes).unwrap().unwrap();
        assert_eq!(
            (first.method.as_str(), first.target.as_str()),
            ("GET", "/a?b")
        );
        assert_eq!(first.header("Accept-Encoding"), "br");
        assert_eq!(Request::read(&mut bytes).unwrap().unwrap().method, "HEAD");
        assert_eq!(Request::read(&mut bytes).unwrap(), None);
    }

    #[test]
    fn a_request_that_is_cut_off_is_none() {
        assert_eq!(
            Request::read(&mut &b"GET / HTTP/1.1\r\nHost"[..]).unwrap(),
            None
        );
        assert_eq!(
            Request::read(&mut &b"GET / HTTP/1.1\r\n"[..]).unwrap(),
            None
        );
        assert_eq!(Request::read(&mut &b"\r\n"[..]).unwrap(), None);
    }

    #[test]
    fn silent_connections_hold_up_nobody() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            accept(&listener, |request| Answer {
                status: 200,
                headers: Vec::new(),
                body: request.target.clone().into_bytes(),
            });
        });
        let _silent: Vec<_> = (0..20)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .write_all(b"GET /here HTTP/1.1\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n/here");
    }
}
