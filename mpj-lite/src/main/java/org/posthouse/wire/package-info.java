/** The wire frames of Posthouse, one codec for both ends of every connection. */
package org.posthouse.wire;
