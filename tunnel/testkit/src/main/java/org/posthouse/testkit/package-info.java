/**
 * Helpers for the tests of several modules: seeded runs of a property, a file system with little room, a browser, and
 * defaults for tests that wait, and directory servers. Only tests and the lab use this package.
 */
package org.posthouse.testkit;
