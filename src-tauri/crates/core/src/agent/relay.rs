//! Work that speaks while it runs: hands on what it says, all of it before its end.

use std::future::Future;
use std::pin::pin;
use tokio::sync::mpsc;

/// Runs `work` and gives `each` what comes by `said`, in order. A sender that outlives the work is not waited for.
pub(super) async fn relay<T, O, F: Future<Output = ()>>(
    work: impl Future<Output = O>,
    mut said: mpsc::Receiver<T>,
    mut each: impl FnMut(T) -> F,
) -> O {
    let mut work = pin!(work);
    loop {
        tokio::select! {
            biased;
            Some(item) = said.recv() => each(item).await,
            outcome = &mut work => {
                while let Ok(item) = said.try_recv() {
                    each(item).await;
                }
                return outcome;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::ready;

    #[tokio::test]
    async fn all_that_was_said_comes_before_the_end() {
        let (say, said) = mpsc::channel(2);
        let kept = say.clone();
        let work = async move {
            for n in 0..100 {
                say.send(n).await.expect("somebody listens");
            }
            "done"
        };
        let mut heard = Vec::new();
        let hear = |n| {
            heard.push(n);
            ready(())
        };
        assert_eq!(relay(work, said, hear).await, "done");
        assert_eq!(heard, (0..100).collect::<Vec<_>>());
        drop(kept);
    }
}
