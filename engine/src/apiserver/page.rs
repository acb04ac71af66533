//! The pages of an API server that are not resources: `/metrics`, `/readyz`, `/livez` and `/healthz`.
//!
//! Mirrors the format of the pages of `k8s.io/apiserver/pkg/server/healthz` and of Prometheus. Left out: the help texts
//! and most metrics, and most checks of `/readyz`.

use std::fmt::Write;

use crate::kube::status::StatusError;

use super::ready::ReadyState;
use super::server::ApiServer;

impl ApiServer {
    /// Returns the page at a path; `None` if the path leads to no page of this file.
    pub(super) fn page(&self, path: &str) -> Option<Result<String, StatusError>> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let path = path.strip_prefix('/')?.trim_end_matches('/');
        let (root, check) = path.split_once('/').unwrap_or((path, ""));
        match root {
            "metrics" if check.is_empty() => Some(Ok(self.metrics_page())),
            "readyz" | "livez" | "healthz" => self.checks(root, check, query),
            _ => None,
        }
    }

    /// Returns `ok`, or the checks with their results if the query asks for them or if a check fails.
    fn checks(&self, root: &str, only: &str, query: &str) -> Option<Result<String, StatusError>> {
        let mut all = vec![("ping", true), ("log", true), ("etcd", self.is_connected())];
        if root == "readyz" {
            let mut caches = self.storages().filter_map(|storage| storage.cacher());
            let is_ready = caches.all(|cacher| cacher.ready().state() == ReadyState::Ready);
            all.push(("storage-readiness", is_ready));
        }
        all.retain(|(name, _)| only.is_empty() || *name == only);
        if all.is_empty() {
            return None;
        }
        let is_ok = all.iter().all(|(_, is_ok)| *is_ok);
        let lines = all.iter().map(|(name, is_ok)| match is_ok {
            true => format!("[+]{name} ok\n"),
            false => format!("[-]{name} failed: reason withheld\n"),
        });
        let lines: String = lines.collect();
        let mut parameters = query.split('&');
        let is_verbose = parameters.any(|part| part.split('=').next() == Some("verbose"));
        Some(match (is_ok, is_verbose) {
            (true, false) => Ok("ok".into()),
            (true, true) => Ok(format!("{lines}{root} check passed\n")),
            (false, _) => Err(StatusError::ChecksFailed(
                format!("{lines}{root} check failed").into(),
            )),
        })
    }

    fn metrics_page(&self) -> String {
        let mut out = String::new();
        let mut last = None;
        for (metric, labels, value) in self.metrics().counts() {
            let name = metric.name();
            if last != Some(metric) {
                let _ = writeln!(out, "# TYPE {name} counter");
                last = Some(metric);
            }
            let _ = writeln!(out, "{name}{{{labels}}} {value}");
        }
        const VERSION: &str = "apiserver_watch_cache_resource_version";
        let caches = self.storages().filter_map(|storage| {
            let revision = storage.cacher()?.cache().cache_rv();
            let (group, name) = (storage.resource().group(), storage.resource().name);
            Some(format!(
                "{VERSION}{{group=\"{group}\",resource=\"{name}\"}} {revision}\n"
            ))
        });
        let caches: String = caches.collect();
        if !caches.is_empty() {
            let _ = writeln!(out, "# TYPE {VERSION} gauge");
            out.push_str(&caches);
        }
        out
    }
}
