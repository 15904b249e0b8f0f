//! The tools that watch and steer a fuzzing campaign.
