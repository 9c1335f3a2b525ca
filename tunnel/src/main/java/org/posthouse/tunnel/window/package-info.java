/**
 * The send and receive windows of one link: frames that wait, in which order they leave, which of them are not
 * acknowledged yet, how fast each lane may send, and what the receiver has got. No sockets and no clock of its own: the
 * link calls it on its event loop and gives it the time.
 */
package org.posthouse.tunnel.window;
