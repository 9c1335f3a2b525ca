/**
 * What a relay's operator wants to know afterwards: who was refused, and who changed what. Written by all that serves somebody; stateless and
 * thread-safe. Where it goes is the appliance's to say.
 */
package org.posthouse.audit;
