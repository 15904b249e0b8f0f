//! Who talks to the server: what each client calls itself, its open sessions and its calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use proofstone_console::Client;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// The most clients that are remembered; the one unseen longest is forgotten first.
const MOST: usize = 100;

/// All clients that were seen.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    seen: Mutex<HashMap<Who, Client>>,
}

/// What tells clients apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Who {
    name: String,
    version: String,
    protocol: String,
}

/// One session's place among the clients, given up when the session ends.
#[derive(Debug)]
pub(crate) struct Seat {
    clients: Arc<Clients>,
    taken: OnceLock<Who>,
}

impl Seat {
    pub(crate) fn new(clients: &Arc<Clients>) -> Self {
        Self { clients: Arc::clone(clients), taken: OnceLock::new() }
    }

    /// Notes a request of this session, and a call if it is one.
    pub(crate) fn seen(&self, context: &RequestContext<RoleServer>, call: bool) {
        let unknown = || "unknown".to_owned();
        let info = context.client_info();
        let name = Who {
            name: info.as_ref().map_or_else(unknown, |info| info.name.clone()),
            version: info.map_or_else(String::new, |info| info.version),
            protocol: context.protocol_version().map_or_else(unknown, |v| v.to_string()),
        };
        let holds_session = context.protocol_version().is_none_or(|v| v.has_initialize());
        let opens = holds_session && self.taken.set(name.clone()).is_ok();
        self.clients.note(name, opens, call);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let Some(name) = self.taken.get() else { return };
        if let Some(client) = self.clients.lock().get_mut(name) {
            client.sessions = client.sessions.saturating_sub(1);
        }
    }
}

impl Clients {
    /// The clients, the latest first.
    pub(crate) fn list(&self) -> Vec<Client> {
        let mut all: Vec<Client> = self.lock().values().cloned().collect();
        all.sort_by(|a, b| b.last_seen.cmp(&a.last_seen).then_with(|| a.name.cmp(&b.name)));
        all
    }

    fn note(&self, name: Who, opens: bool, call: bool) {
        let mut seen = self.lock();
        if seen.len() >= MOST && !seen.contains_key(&name) {
            let oldest = seen.iter().filter(|(_, client)| client.sessions == 0);
            let oldest = oldest.min_by_key(|(_, client)| client.last_seen);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { return };
            seen.remove(&oldest);
        }
        let client = seen.entry(name).or_insert_with_key(|name| Client {
            name: name.name.clone(),
            version: name.version.clone(),
            protocol: name.protocol.clone(),
            sessions: 0,
            calls: 0,
            last_seen: SystemTime::now(),
        });
        client.sessions += usize::from(opens);
        client.calls += u64::from(call);
        client.last_seen = SystemTime::now();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Who, Client>> {
        self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Who {
        Who { name: name.into(), version: "1".into(), protocol: "2025-11-25".into() }
    }

    #[test]
    fn many_names_do_not_fill_the_memory_and_open_sessions_stay() {
        let clients = Clients::default();
        clients.note(name("stays"), true, false);
        for at in 0..1000 {
            clients.note(name(&format!("passes {at}")), false, true);
        }
        let list = clients.list();
        assert_eq!(list.len(), MOST);
        assert!(list.iter().any(|client| client.name == "stays" && client.sessions == 1));
    }
}
