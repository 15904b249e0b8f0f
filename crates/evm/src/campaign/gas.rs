//! The dearest call of every function, when it is asked for.

use super::handle::Campaign;
use crate::input::Sequence;

/// The dearest call of a function so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GasPeak {
    /// Index into the target's functions.
    pub function: usize,
    /// Gas that executing it took, without what every transaction costs.
    pub gas: u64,
    /// The calls up to it; it is the last.
    pub sequence: Sequence,
}

/// The dearest calls that one worker has seen, by function.
#[derive(Clone, Debug, Default)]
pub(super) struct GasPeaks(Vec<Option<GasPeak>>);

impl GasPeaks {
    /// For so many functions; for none, nothing is kept.
    pub(super) fn of(functions: usize) -> Self {
        Self(vec![None; functions])
    }

    /// Whether a call with this gas would be the dearest of its function.
    pub(super) fn is_dearest(&self, function: usize, gas: u64) -> bool {
        self.0.get(function).is_some_and(|peak| peak.as_ref().is_none_or(|peak| gas > peak.gas))
    }

    /// Keeps a call if it is the dearest of its function.
    pub(super) fn note(&mut self, peak: GasPeak) {
        if self.is_dearest(peak.function, peak.gas) {
            let function = peak.function;
            self.0[function] = Some(peak);
        }
    }

    pub(super) fn peaks(&self) -> impl Iterator<Item = &GasPeak> {
        self.0.iter().flatten()
    }
}

impl Campaign {
    /// The dearest call of every function that was called, if the configuration asks for it.
    pub fn gas_peaks(&self) -> Vec<GasPeak> {
        let mut dearest = GasPeaks::of(self.shared.target.functions.len());
        for board in &self.shared.boards {
            for peak in board.load().peaks.peaks() {
                dearest.note(peak.clone());
            }
        }
        dearest.peaks().cloned().collect()
    }
}
