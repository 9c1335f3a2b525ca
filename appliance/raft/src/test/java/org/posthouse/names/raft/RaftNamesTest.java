package org.posthouse.names.raft;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.Name;
import org.posthouse.names.NameService;
import org.posthouse.names.NameServiceContract;

/** The contract of names, kept by three judges; a relay that is no judge asks them. */
class RaftNamesTest extends NameServiceContract {
    private static final AtomicInteger ROOTS = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static JudgeGroup judges;
    private static NameService names;
    private Name root;

    @BeforeAll
    static void startJudges() throws Exception {
        judges = JudgeGroup.started(folder, JudgeGroup.FAST);
        names = judges.start("site-d");
    }

    @AfterAll
    static void closeJudges() {
        judges.close();
    }

    @BeforeEach
    void nextRoot() {
        root = Name.parse("test-" + ROOTS.incrementAndGet());
    }

    @Override
    protected Name root() {
        return root;
    }

    @Override
    protected NameService names() {
        return names;
    }
}
