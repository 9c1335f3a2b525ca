/**
 * The audit log for a relay's operator: who was refused, and who changed what. All code that serves users or peers
 * writes to it. Stateless and thread-safe. The appliance configures its destination.
 */
package org.posthouse.audit;
