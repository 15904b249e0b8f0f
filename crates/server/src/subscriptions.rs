//! Tells clients that a resource they watch has changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::broadcast::{Receiver, Sender, channel, error::RecvError};
use tokio::task::AbortHandle;

/// A resource that changes often is announced at most this often.
const PAUSE: Duration = Duration::from_secs(1);

/// The addresses of resources that change, as they change.
#[derive(Debug)]
pub(crate) struct Changes(Sender<Arc<str>>);

impl Default for Changes {
    fn default() -> Self {
        Self(channel(64).0)
    }
}

impl Changes {
    /// Says that a resource has changed. Costs nothing where nobody listens.
    pub(crate) fn announce(&self, uri: &str) {
        if self.0.receiver_count() > 0 {
            let _ = self.0.send(Arc::from(uri));
        }
    }
}

/// What one session of the older revisions watches.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions(Mutex<HashMap<String, AbortHandle>>);

impl Subscriptions {
    pub(crate) fn add(&self, uri: String, peer: Peer<RoleServer>, changes: &Changes) {
        let mut heard = changes.0.subscribe();
        let watched = uri.clone();
        let task = tokio::spawn(async move {
            while next_change(&mut heard, &watched).await {
                let params = ResourceUpdatedNotificationParam::new(watched.clone());
                if peer.notify_resource_updated(params).await.is_err() {
                    return;
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        self.replace(uri, Some(task.abort_handle()));
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.replace(uri.to_owned(), None);
    }

    fn replace(&self, uri: String, task: Option<AbortHandle>) {
        let mut watched = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = match task {
            Some(task) => watched.insert(uri, task),
            None => watched.remove(&uri),
        };
        if let Some(before) = before {
            before.abort();
        }
    }
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        let watched = self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        watched.values().for_each(AbortHandle::abort);
    }
}

/// Serves one subscription of the 2026-07-28 revision until it is cancelled.
pub(crate) async fn listen(context: &SubscriptionContext, changes: &Changes) {
    let watched = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let mut heard = changes.0.subscribe();
    let forward = async {
        loop {
            match heard.recv().await {
                Ok(uri) if watched.iter().any(|watched| **watched == *uri) => {
                    if context.sink().notify_resource_updated(&*uri).await.is_err() {
                        return;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    };
    tokio::select! { () = context.cancelled() => {}, () = forward => {} }
}

/// Waits until `watched` changes; `false` when nothing will change any more.
async fn next_change(heard: &mut Receiver<Arc<str>>, watched: &str) -> bool {
    loop {
        match heard.recv().await {
            Ok(uri) if *uri == *watched => return true,
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return false,
        }
    }
}
