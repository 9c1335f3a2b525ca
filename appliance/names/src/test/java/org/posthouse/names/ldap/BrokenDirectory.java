package org.posthouse.names.ldap;

import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedAddResult;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.posthouse.testkit.DirectoryInMemory;

/** A directory that fails at the point that a test says. */
final class BrokenDirectory extends InMemoryOperationInterceptor implements AutoCloseable {
    private final DirectoryInMemory server;

    /** Entries whose addition is done, with the connection lost before the answer. */
    final AtomicInteger additionsUnanswered = new AtomicInteger();

    /** Reads of single entries that still succeed; the one behind them fails, and all later ones succeed. */
    final AtomicInteger readsUntilFault = new AtomicInteger(Integer.MAX_VALUE);

    final AtomicInteger searchesRefused = new AtomicInteger();

    /** Whether searches fail. Written by the test, read by the server's threads. */
    volatile boolean isSearchRefused;

    BrokenDirectory() throws IOException {
        server = DirectoryInMemory.start(LdapSchema.ldif(), null, this);
    }

    int port() {
        return server.port();
    }

    @Override
    public void processAddResult(InMemoryInterceptedAddResult result) {
        if (additionsUnanswered.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            server.endConnections();
        }
    }

    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest request) throws LDAPException {
        if (request.getRequest().getScope() == SearchScope.BASE) {
            if (readsUntilFault.getAndDecrement() == 0) {
                throw new LDAPException(ResultCode.OTHER, "the test refuses this read");
            }
        } else if (isSearchRefused) {
            searchesRefused.incrementAndGet();
            throw new LDAPException(ResultCode.OTHER, "the test refuses searches");
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
