package org.posthouse.directory.names;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.posthouse.directory.Groups;
import org.posthouse.directory.HazelcastDirectory;
import org.posthouse.names.Name;
import org.posthouse.names.NameService;
import org.posthouse.names.NameServiceContract;

/** The names of four members, asked at the last: most owners are others, and a minority may have an owner and a caller. */
class HazelcastNamesTest extends NameServiceContract {
    private static List<HazelcastDirectory> directories = List.of();
    private static int tests;

    @BeforeAll
    static void start() throws IOException {
        directories = Groups.start("names", Groups.endpoints("127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1"));
    }

    @AfterAll
    static void close() {
        directories.forEach(HazelcastDirectory::close);
    }

    @BeforeEach
    void next() {
        tests++;
    }

    @Override
    protected NameService names() {
        return directories.getLast().names();
    }

    @Override
    protected Name root() {
        return Name.parse("test-" + tests);
    }
}
