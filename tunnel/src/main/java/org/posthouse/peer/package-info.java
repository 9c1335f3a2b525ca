/**
 * Who is at the other end of a connection within this host. Every port that a relay or launcher opens asks here before it trusts the
 * first byte (docs/security.md). It has no state, and knows no other room.
 */
package org.posthouse.peer;
