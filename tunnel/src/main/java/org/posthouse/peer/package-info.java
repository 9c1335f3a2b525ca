/**
 * Finds out who is at the other end of a connection within this host. Every port that a relay or launcher opens checks
 * this before it trusts the first byte (docs/security.md). Stateless; uses no other package of the project.
 */
package org.posthouse.peer;
