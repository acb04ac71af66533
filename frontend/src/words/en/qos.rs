//! The texts of the QoS view.
