//! (grows with the next commits)
