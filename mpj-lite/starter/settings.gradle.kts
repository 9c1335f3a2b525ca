rootProject.name = "starter"
