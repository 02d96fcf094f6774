//! Nothing: the tests are what this package is for. OpenSSL 3.6 and our provider authenticate each
//! other with the ML-DSA chains of `certs/`, in both roles. Building OpenSSL needs `make` and `perl`.
