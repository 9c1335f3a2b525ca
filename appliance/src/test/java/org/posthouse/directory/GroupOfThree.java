package org.posthouse.directory;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.posthouse.names.NameService;

/** A group of the relays r0, r1 and r2, begun anew for each test, whose connections can be cut. */
final class GroupOfThree implements BeforeEachCallback, AfterEachCallback {
    static final int RELAYS = 3;

    private final String cluster;
    private List<HazelcastDirectory> directories;

    GroupOfThree(String cluster) {
        this.cluster = cluster;
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        directories = Groups.start(cluster, Groups.endpoints("127.0.0.1", "127.0.0.1", "127.0.0.1"));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        directories.forEach(HazelcastDirectory::close);
    }

    HazelcastDirectory directory(int relay) {
        return directories.get(relay);
    }

    NameService names(int relay) {
        return directory(relay).names();
    }

    /** Both ends refuse each other from now on. */
    void cut(int one, int other) {
        directory(one).guard().bar("r" + other, "cut by the test");
        directory(other).guard().bar("r" + one, "cut by the test");
    }

    void heal(int one, int other) {
        directory(one).guard().readmit("r" + other);
        directory(other).guard().readmit("r" + one);
    }

    /** Waits until a relay sees so many members. */
    void awaitMembers(int relay, int members) {
        Groups.awaitMembers(directory(relay), members);
    }

    static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }
}
